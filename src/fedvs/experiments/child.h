// Another start of a program of ours, as a process that ends with this one.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "fedvs/base/result.h"

namespace fedvs::experiments {

struct WordFiles {  // what a child says is appended to these; they may be one file
  std::filesystem::path out, err;
};

class Child {
 public:
  // Its words are kept in memory. It has a process group of its own, so that a Ctrl-C in the
  // terminal reaches it only through send(); when this process dies, it is asked to end.
  static Result<Child> start(const std::filesystem::path& program,
                             const std::vector<std::string>& arguments);
  // Its words are kept in files, made with mode 0600: for one that says much.
  static Result<Child> start(const std::filesystem::path& program,
                             const std::vector<std::string>& arguments, const WordFiles& files);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();  // kills it if it still runs

  pid_t process() const { return process_; }
  bool ended();  // does not wait
  void send(int signal);
  // Once it has ended.
  int exit_status() const;  // 128 + the number of the signal that ended it
  double cpu_seconds() const { return cpu_seconds_; }
  std::string out() const;  // all that it has said, and what its file held before
  std::string err() const;

 private:
  static Result<Child> start_with(const std::filesystem::path& program,
                                  const std::vector<std::string>& arguments, int out, int err);
  bool reap(int options);
  Child(pid_t process, int out, int err) : process_(process), out_(out), err_(err) {}
  pid_t process_;  // -1: moved from
  int out_, err_;
  bool ended_ = false;
  int wait_status_ = 0;
  double cpu_seconds_ = 0;
};

}  // namespace fedvs::experiments
