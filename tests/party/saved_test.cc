// Files and notes of a party's folder: read as they were written, by the program's own version
// alone. Everything else is refused with the file's name, both versions and a remedy.
#include "fedvs/protocol/saved.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fedvs/net/wire/codec.h"
#include "fedvs/party/group_memory.h"
#include "fedvs/party/head_log.h"
#include "fedvs/party/own_sharing.h"
#include "fedvs/party/run_memory.h"
#include "fedvs/party/saved_client.h"
#include "fedvs/party/saved_notes.h"
#include "fedvs/party/server_state.h"
#include "fedvs/store/checkpoint.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/wire_samples.h"

namespace fedvs::party {
namespace {

using protocol::kSavedVersion;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A message with a version begins with it: field 1, a number.
std::string of_version(std::string bytes, std::uint32_t version) {
  EXPECT_EQ(bytes.substr(0, 2), std::string({'\x08', static_cast<char>(kSavedVersion)}));
  bytes[1] = static_cast<char>(version);
  return bytes;
}

auto refuses(const std::string& name, std::uint32_t version) {
  return AllOf(HasSubstr(name), HasSubstr(fmt::format("format version {}", version)),
               HasSubstr(fmt::format("reads version {}", kSavedVersion)),
               HasSubstr("go on with the release"));
}

class SavedFiles : public ::testing::Test {
 protected:
  struct File {
    std::string name;
    std::function<void()> write;
    std::function<Status()> read;
  };
  template <class T>
  static Status status(const Result<T>& result) {
    return result ? Status{} : Status(result.error());
  }
  std::filesystem::path at(const std::string& name) const { return folder_ / name; }
  ServerState server() const { return ServerState::open(folder_.path()).value(); }
  Status open_server() const { return status(ServerState::open(folder_.path())); }
  seal::SecretKey key() const {
    Key256 bytes{3};
    return seal::SecretKey::copy_of(bytes);
  }

  const std::vector<File> files_{
      {"client.ckpt",
       [this] {
         ClientCheckpoint checkpoint{
             .generation = 3, .named = {7, kLeftOut}, .finished = true, .client = {}, .models = {}};
         checkpoint.models.emplace_back("a model");
         ASSERT_TRUE(write_client(at("client.ckpt"), checkpoint));
       },
       [this] { return status(read_client(at("client.ckpt"))); }},
      {"columns.ckpt",
       [this] {
         ASSERT_TRUE(write_columns(at("columns.ckpt"), {{"age"}, {{0.1}, {2}, 3}}));
       },
       [this] { return status(read_columns(at("columns.ckpt"))); }},
      {"scored-with.ckpt",
       [this] {
         ASSERT_TRUE(write_scoring(at("scored-with.ckpt"), {1, 2, 3}));
       },
       [this] { return status(read_scoring(at("scored-with.ckpt"))); }},
      {"groups.ckpt",
       [this] {
         ASSERT_TRUE(GroupMemory::open(at("groups.ckpt"), {4, 5}).value().keep({{0, 1}, {2, 3}}));
       },
       [this] {
         return status(GroupMemory::open(at("groups.ckpt"), {4, 5}));
       }},
      {"runs.ckpt",
       [this] {
         ASSERT_TRUE(RunMemory::open(at("runs.ckpt"))
                         .value()
                         .keep(Digest{1}, RunMemory::Whose::kOwn, Digest{2}));
       },
       [this] { return status(RunMemory::open(at("runs.ckpt"))); }},
      {"sharing.ckpt", [this] { ASSERT_TRUE(own_sharing(folder_.path(), key(), Digest{5})); },
       [this] { return status(own_sharing(folder_.path(), key(), Digest{5})); }},
      {"run.ckpt",
       [this] {
         ASSERT_TRUE(server().begin(
             {.id = {1}, .seed = 7, .door = "", .classes = {{"a", "b"}, {"A", "B"}}}));
       },
       [this] { return open_server(); }},
      {"server.ckpt", [this] { ASSERT_TRUE(server().save({.server = "notes", .totals = ""})); },
       [this] { return open_server(); }},
      {"central.ckpt",
       [this] {
         auto state = server();
         ASSERT_TRUE(state.recall_learned([](auto) { return Result<bool>(true); }));
         ASSERT_TRUE(state.save_central({.model = "weights"}, true));
       },
       [this] { return open_server(); }},
  };
  ScratchFolder folder_;
};

TEST_F(SavedFiles, OfAnotherVersionAreRefusedByName) {
  for (const auto& [name, write, read] : files_) {
    write();
    ASSERT_TRUE(read()) << name << read().error().message;
    auto parts = store::read_checkpoint(at(name)).value();
    const std::string own = parts["message"];
    for (const std::uint32_t version : {0u, kSavedVersion + 1}) {
      parts["message"] = of_version(own, version);
      ASSERT_TRUE(store::write_checkpoint(at(name), parts));
      const auto other = read();
      ASSERT_FALSE(other) << name;
      EXPECT_EQ(other.error().code, ErrorCode::kBadFile) << "not to be set aside";
      EXPECT_THAT(other.error().message, refuses(name, version));
    }
    std::filesystem::remove(at(name));
  }
}

TEST_F(SavedFiles, OfAReleaseBeforeThereWereVersionsAreRefusedByName) {
  for (const auto& [name, write, read] : files_) {
    ASSERT_TRUE(store::write_checkpoint(at(name), {{"run", std::string(40, '\1')}}));
    const auto old = read();
    ASSERT_FALSE(old) << name;
    EXPECT_THAT(old.error().message, AllOf(HasSubstr(name), HasSubstr("before files had format"),
                                           HasSubstr("finish the run with that release")));
    std::filesystem::remove(at(name));
  }
}

TEST_F(SavedFiles, AreReadAsTheyWereWritten) {
  for (const auto& file : files_) file.write();
  const auto client = read_client(at("client.ckpt")).value();
  EXPECT_EQ(client.generation, 3u);
  EXPECT_EQ(client.named, (Versions{7, kLeftOut}));
  EXPECT_TRUE(client.finished);
  ASSERT_EQ(client.models.size(), 1u);
  EXPECT_EQ(client.models[0].view(), "a model");
  const auto columns = read_columns(at("columns.ckpt")).value();
  EXPECT_EQ(columns.names, std::vector<std::string>{"age"});
  EXPECT_EQ(columns.standardiser.mean, std::vector<double>{0.1}) << "bit for bit";
  EXPECT_EQ(read_scoring(at("scored-with.ckpt")).value(), (Versions{1, 2, 3}));
  EXPECT_EQ(server().run()->classes.shown, (std::vector<std::string>{"A", "B"}));
}

class SavedNotes : public ::testing::Test {
 protected:
  const protocol::Agreement agreement_ = testing::wire_agreement("rns4");
  testing::WireSamples samples_{agreement_, 9};
};

TEST_F(SavedNotes, OfAnotherVersionAreRefusedByTheNameOfTheirLog) {
  const std::uint32_t next = kSavedVersion + 1;
  const auto step = samples_.step();
  EXPECT_THAT(read_plan_note(agreement_, of_version(plan_note(step), next)).error().message,
              refuses("plans-*.log", next));
  EXPECT_THAT(read_chunk_note(agreement_, of_version(chunk_note({}), next)).error().message,
              refuses("rows.index", next));
  const protocol::SentGradient sent{step.gradient, 1, {}};
  EXPECT_THAT(
      read_gradient_note(agreement_, of_version(gradient_note(sent, 7), next)).error().message,
      refuses("gradients-*.log", next));
  EXPECT_THAT(read_head_note(of_version(bytes_of(head_note({}, step)), next)).error().message,
              refuses("heads.log", next));
}

TEST_F(SavedNotes, ALogOfAnotherVersionIsLeftAsItIs) {
  const ScratchFolder folder;
  const auto path = folder / "heads.log";
  {
    auto log = store::RecordLog::open(path, [](auto, auto) { return Status{}; }).value();
    const auto note = of_version(bytes_of(head_note({}, samples_.step())), kSavedVersion + 1);
    ASSERT_TRUE(log.append(note, store::RecordLog::Sync::kYes));
  }
  const std::string before = contents_of(path);
  const auto opened = HeadLog::open(path, agreement_, {});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, refuses("heads.log", kSavedVersion + 1));
  EXPECT_EQ(contents_of(path), before);
}

TEST_F(SavedNotes, OfPlansBeforeThereWereVersionsAreRefused) {
  EXPECT_FALSE(read_plan_note(agreement_, wire::encode(samples_.step())));
}

TEST_F(SavedNotes, OfChunksThatThisJobDoesNotHaveAreRefused) {
  const auto taken = [&](int sender, int part, std::uint64_t first) {
    const ChunkNote note{sender, static_cast<data::Part>(part), first, {}, {}};
    return read_chunk_note(agreement_, chunk_note(note)).has_value();
  };
  ASSERT_TRUE(taken(6, 2, 0));
  EXPECT_FALSE(taken(7, 0, 0));
  EXPECT_FALSE(taken(-1, 0, 0));
  EXPECT_FALSE(taken(0, 3, 0));
  EXPECT_FALSE(taken(0, 0, 1u << 30));
}

}  // namespace
}  // namespace fedvs::party
