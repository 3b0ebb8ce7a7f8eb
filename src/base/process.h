#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "base/unique_fd.h"
#include "base/user.h"

namespace sidegrade::base {

/// A program to execute: argv only, never a shell.
struct Command {
  std::vector<std::string> argv;  ///< argv[0] is looked up in PATH
  std::optional<User> user;       ///< run as this account (needs root)
  std::filesystem::path working_directory;  ///< empty: ours
  std::vector<std::string> environment;     ///< "NAME=value", added to ours
  std::optional<std::filesystem::path>
      input;  ///< standard input; none: /dev/null
  std::optional<std::filesystem::path> log;  ///< both outputs are appended here
  std::filesystem::path cgroup;  ///< joined before exec; empty: none
  /// System V and POSIX shared memory of its own, which the kernel removes with
  /// its last process, however that ends. As root; elsewhere it has no effect.
  bool own_shared_memory = false;
};

/// How the command would be typed in a shell: words quoted where they need it.
std::string to_shell_text(const Command& command);

/// What the kernel charged to a process and the children it waited for.
struct ResourceUsage {
  double user_s = 0;
  double sys_s = 0;
  int64_t major_faults = 0;
  int64_t voluntary_switches = 0;
  int64_t involuntary_switches = 0;
};

/// Usage of the calling thread until now.
ResourceUsage thread_usage();

ResourceUsage operator-(const ResourceUsage& later,
                        const ResourceUsage& earlier);
ResourceUsage operator+(const ResourceUsage& one, const ResourceUsage& other);

struct ExitStatus {
  int code = 0;    ///< exit code, if signal is 0
  int signal = 0;  ///< the signal that ended it
  ResourceUsage usage;

  bool success() const { return code == 0 && signal == 0; }
  /// "exit code 1" or "signal 9 (Killed)".
  std::string text() const;
};

/// A running child process, the head of a process group of its own. The
/// destructor kills the group (SIGKILL) if the child has not ended, and reaps
/// it.
class Child {
 public:
  /// Starts it. Throws Error naming the program if it can't be executed.
  /// Its outputs go to command.log, or to the given descriptors.
  static Child start(const Command& command, int out_fd = -1, int err_fd = -1);

  Child(Child&&) noexcept;
  Child& operator=(Child&&) noexcept;
  ~Child();

  pid_t pid() const { return pid_; }
  void kill(int signal) const;
  /// The exit status, once it has ended; nothing if the time passes first.
  /// Throws Interrupted if `interrupt` is requested first.
  std::optional<ExitStatus> wait(std::chrono::milliseconds limit,
                                 const Interrupt* interrupt = nullptr);

 private:
  Child(pid_t pid, UniqueFd pidfd);
  void destroy() noexcept;

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  std::optional<ExitStatus> status_;
};

struct Output {
  ExitStatus status;
  std::string out;
  std::string err;
  double real_s = 0;  ///< from before fork until it is reaped
};

struct RunLimits {
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
  const Interrupt* interrupt = nullptr;
};

/// Runs it to its end, keeping what it prints (unless it has a log). On
/// time-out or interruption it is killed, and Error or Interrupted thrown.
Output run(const Command& command, const RunLimits& limits = {});

/// As run; a failure throws an Error that names the program, how it ended and
/// the last lines it printed. Returns what it printed on standard output.
std::string run_checked(const Command& command, const RunLimits& limits = {});

/// The path of `program` as PATH finds it, or nothing.
std::optional<std::filesystem::path> find_program(const std::string& program);

}  // namespace sidegrade::base
