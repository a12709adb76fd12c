// Whatever the umask, nothing in a party's folder is for anybody but its owner.
#include <sys/stat.h>

#include "tests/cli/parties_fixture.h"

namespace fedvs::cli {
namespace {

namespace fs = std::filesystem;

class PrivateFiles : public Parties {
 protected:
  PrivateFiles() : before_(::umask(022)) {}
  ~PrivateFiles() override { ::umask(before_); }
  // "mode path" of all below it, and it, that others can get at.
  std::vector<std::string> open_to_others(const std::string& name) const {
    std::vector<std::string> found;
    const auto look = [&](const fs::path& at) {
      const auto mode = static_cast<unsigned>(fs::symlink_status(at).permissions());
      if ((mode & 077) != 0) found.push_back(fmt::format("{:04o} {}", mode & 07777, at.string()));
    };
    look(folder_ / name);
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / name)) look(entry.path());
    return found;
  }
  std::size_t files_in(const std::string& name) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(fs::recursive_directory_iterator(folder_ / name),
                              [](const auto& entry) { return entry.is_regular_file(); }));
  }
  const mode_t before_;
};

TEST_F(PrivateFiles, AreAllThatARunOfProcessesLeaves) {
  const Outcome up = fedvs(words("up --data synthetic --clients 6 --set data.rows=300 --epochs 1 "
                                 "--dir here") +
                           kTiny);
  ASSERT_EQ(up.status, 0) << up.err;
  EXPECT_GT(files_in("here"), 60u);
  EXPECT_EQ(open_to_others("here"), std::vector<std::string>{});
}

TEST_F(PrivateFiles, AreAllThatInitLeaves) {
  make_parties("");
  expect_done({"init", "job.toml", "--dir", "real", "--server-address", "127.0.0.1:7443",
               "--client", "a", "b", "c", "d", "e", "f"});
  expect_done(words("init --join real/invitations/a.invite"));
  for (const char* folder : {"deploy", "real", "a"}) {
    EXPECT_EQ(open_to_others(folder), std::vector<std::string>{}) << folder;
  }
}

}  // namespace
}  // namespace fedvs::cli
