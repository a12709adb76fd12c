// The real program as a child process.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fedvs::cli {

using Arguments = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

struct Outcome {
  int status = -1;  // of exit; 128 + the number of the signal that ended it
  std::string out, err;
  double peak_memory = 0;  // bytes resident, mapped files included
};

class Program {
 public:
  // Starts in `folder`; its stdout and stderr are kept in files beside that folder.
  Program(const std::filesystem::path& folder, const Arguments& arguments,
          const Environment& environment = {}, const std::string& program = FEDVS_PROGRAM);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();  // ends the child if it still runs

  // Waits until it holds or the program has ended; returns whether it holds.
  bool wait_until(const std::function<bool()>& holds);
  void send(int signal);
  Outcome wait();  // at most kPatience, then the child is ended

  static constexpr std::chrono::minutes kPatience{5};

 private:
  bool ended();
  bool reap(int options);  // whether it has ended
  pid_t child_ = -1;
  int wait_status_ = 0;
  double peak_memory_ = 0;
  bool ended_ = false;
  std::filesystem::path out_, err_;
};

}  // namespace fedvs::cli
