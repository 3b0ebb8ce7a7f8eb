#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"

namespace sidegrade::base {
namespace {

constexpr std::string_view kPlainCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    "%+,-./:=@_^";

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) * 1e-6;
}

ResourceUsage to_usage(const rusage& usage) {
  return {seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_majflt,
          usage.ru_nvcsw, usage.ru_nivcsw};
}

std::string quoted(const std::string& word) {
  if (!word.empty() &&
      word.find_first_not_of(kPlainCharacters) == std::string::npos) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

UniqueFd open_or_throw(const std::filesystem::path& path, int flags) {
  UniqueFd fd(open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (!fd) throw_errno(fmt::format("{} could not be opened", path.string()));
  return fd;
}

/// All that the child needs, made before fork: after it only async-signal-safe
/// calls are allowed.
struct Prepared {
  std::vector<char*> argv;
  std::vector<std::string> environment_text;
  std::vector<char*> environment;
  std::vector<gid_t> groups;
  UniqueFd input;
  UniqueFd log;
  UniqueFd cgroup;
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (const std::string& word : words) {
    result.push_back(const_cast<char*>(word.c_str()));
  }
  result.push_back(nullptr);
  return result;
}

void add_environment(Prepared& prepared, const Command& command) {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const bool replaced = std::any_of(
        command.environment.begin(), command.environment.end(),
        [&](const std::string& added) { return added.starts_with(name); });
    if (!replaced) prepared.environment_text.emplace_back(text);
  }
  prepared.environment_text.insert(prepared.environment_text.end(),
                                   command.environment.begin(),
                                   command.environment.end());
  prepared.environment = pointers(prepared.environment_text);
}

Prepared prepare(const Command& command) {
  Prepared prepared;
  prepared.argv = pointers(command.argv);
  add_environment(prepared, command);
  if (command.user) prepared.groups = groups_of(*command.user);
  prepared.input = open_or_throw(command.input.value_or("/dev/null"), O_RDONLY);
  if (command.log) {
    prepared.log = open_or_throw(*command.log, O_WRONLY | O_CREAT | O_APPEND);
  }
  if (!command.cgroup.empty()) {
    prepared.cgroup = open_or_throw(command.cgroup / "cgroup.procs", O_WRONLY);
  }
  return prepared;
}

/// New namespaces of IPC and mounts, and in them a /dev/shm of our own, which
/// must not spread to the machine's. Without the privilege (a container) the
/// program runs as it otherwise would.
void separate_shared_memory() {
  if (unshare(CLONE_NEWIPC | CLONE_NEWNS) != 0) return;
  if (mount("none", "/dev/shm", nullptr, MS_PRIVATE, nullptr) != 0 &&
      mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return;
  }
  (void)mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
}

/// In the child: becomes the program, or writes errno to `report` and ends.
[[noreturn]] void become(const Command& command, const Prepared& prepared,
                         int out_fd, int err_fd, int report) {
  const auto attempt = [&](bool succeeded) {
    if (succeeded) return;
    const int code = errno;
    (void)!write(report, &code, sizeof code);
    _exit(127);
  };
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  (void)std::signal(SIGPIPE, SIG_DFL);
  // A group of its own, so that Ctrl-C at the terminal reaches only sidegrade,
  // which then ends its children in the right order.
  setpgid(0, 0);
  if (prepared.cgroup) {
    attempt(write(prepared.cgroup.get(), "0", 1) == 1);
  }
  if (command.own_shared_memory) separate_shared_memory();
  const int log = prepared.log.get();
  attempt(dup2(prepared.input.get(), 0) >= 0);
  attempt(dup2(log >= 0 ? log : out_fd, 1) >= 0);
  attempt(dup2(log >= 0 ? log : err_fd, 2) >= 0);
  if (command.user) {
    attempt(setgroups(prepared.groups.size(), prepared.groups.data()) == 0);
    attempt(setgid(command.user->gid) == 0);
    attempt(setuid(command.user->uid) == 0);
  }
  if (!command.working_directory.empty()) {
    attempt(chdir(command.working_directory.c_str()) == 0);
  }
  execvpe(prepared.argv[0], prepared.argv.data(), prepared.environment.data());
  attempt(false);
  _exit(127);
}

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Pipe make_pipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) throw_errno("a pipe could not be made");
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

int remaining_ms(double deadline) {
  const double left = (deadline - monotonic_seconds()) * 1000;
  return static_cast<int>(std::clamp(left, 0.0, double{INT_MAX}));
}

int fd_of(const Interrupt* interrupt) {
  return interrupt != nullptr ? interrupt->fd() : -1;
}

/// Reads both pipes until they end; throws on time-out or interruption.
void drain(const Command& command, Pipe& out, Pipe& err, Output& output,
           const RunLimits& limits, double deadline) {
  pollfd fds[3] = {{out.read.get(), POLLIN, 0},
                   {err.read.get(), POLLIN, 0},
                   {fd_of(limits.interrupt), POLLIN, 0}};
  std::string* const texts[2] = {&output.out, &output.err};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const int left = remaining_ms(deadline);
    // One that never stops printing is always ready: ask the clock as well.
    if (poll(fds, 3, left) == 0 || left == 0) {
      throw Error(fmt::format("{} did not end in time", command.argv[0]));
    }
    if (fds[2].revents != 0) throw Interrupted();
    for (int i = 0; i < 2; ++i) {
      if (fds[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t count = read(fds[i].fd, buffer, sizeof buffer);
      if (count > 0) {
        texts[i]->append(buffer, static_cast<size_t>(count));
      } else {
        fds[i].fd = -1;
      }
    }
  }
}

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return access(path.c_str(), X_OK) == 0 &&
         !std::filesystem::is_directory(path, ignored);
}

std::string last_lines(const std::string& text, size_t count) {
  std::vector<std::string> lines = split(trim(text), '\n');
  if (lines.size() > count) {
    lines.erase(lines.begin(), lines.end() - static_cast<ptrdiff_t>(count));
  }
  return join(lines, "\n");
}

}  // namespace

std::string to_shell_text(const Command& command) {
  std::vector<std::string> words;
  for (const std::string& word : command.argv) words.push_back(quoted(word));
  return join(words, " ");
}

ResourceUsage thread_usage() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return to_usage(usage);
}

ResourceUsage operator-(const ResourceUsage& later,
                        const ResourceUsage& earlier) {
  return {later.user_s - earlier.user_s, later.sys_s - earlier.sys_s,
          later.major_faults - earlier.major_faults,
          later.voluntary_switches - earlier.voluntary_switches,
          later.involuntary_switches - earlier.involuntary_switches};
}

ResourceUsage operator+(const ResourceUsage& one, const ResourceUsage& other) {
  return {one.user_s + other.user_s, one.sys_s + other.sys_s,
          one.major_faults + other.major_faults,
          one.voluntary_switches + other.voluntary_switches,
          one.involuntary_switches + other.involuntary_switches};
}

std::string ExitStatus::text() const {
  if (signal == 0) return fmt::format("exit code {}", code);
  // glibc keeps its text per thread.
  const char* name = strsignal(signal);  // NOLINT(concurrency-mt-unsafe)
  return fmt::format("signal {} ({})", signal, name);
}

Child::Child(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      status_(other.status_) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    destroy();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
    status_ = other.status_;
  }
  return *this;
}

Child::~Child() { destroy(); }

void Child::destroy() noexcept {
  if (pid_ > 0 && !status_) {
    // What it has started must not outlive it; a child that failed to become
    // its program may have no group yet.
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

Child Child::start(const Command& command, int out_fd, int err_fd) {
  const Prepared prepared = prepare(command);
  const UniqueFd null = open_or_throw("/dev/null", O_WRONLY);
  if (out_fd < 0) out_fd = null.get();
  if (err_fd < 0) err_fd = null.get();
  Pipe report = make_pipe();
  const pid_t pid = fork();
  if (pid < 0)
    throw_errno(fmt::format("{} could not be started", command.argv[0]));
  if (pid == 0) become(command, prepared, out_fd, err_fd, report.write.get());
  report.write.reset();
  Child child(pid, UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))));
  if (!child.pidfd_) {
    throw_errno(fmt::format("{} could not be watched", command.argv[0]),
                "Linux 5.3 or newer is needed.");
  }
  int code = 0;
  if (read(report.read.get(), &code, sizeof code) == sizeof code) {
    child.wait(std::chrono::seconds(10));
    throw Error(fmt::format("{} could not be executed: {}", command.argv[0],
                            errno_text(code)),
                code == ENOENT ? "Install it, or put its folder in PATH." : "");
  }
  return child;
}

void Child::kill(int signal) const {
  if (pid_ > 0 && !status_) ::kill(pid_, signal);
}

std::optional<ExitStatus> Child::wait(std::chrono::milliseconds limit,
                                      const Interrupt* interrupt) {
  if (status_ || pid_ < 0) return status_;
  pollfd fds[2] = {{pidfd_.get(), POLLIN, 0}, {fd_of(interrupt), POLLIN, 0}};
  const auto time = std::clamp<int64_t>(limit.count(), 0, INT_MAX);
  if (poll(fds, 2, static_cast<int>(time)) <= 0) return std::nullopt;
  if (fds[1].revents != 0) throw Interrupted();
  int status = 0;
  rusage usage{};
  if (wait4(pid_, &status, 0, &usage) != pid_) {
    throw_errno(fmt::format("process {} could not be waited for", pid_));
  }
  status_ =
      ExitStatus{WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                 WIFSIGNALED(status) ? WTERMSIG(status) : 0, to_usage(usage)};
  return status_;
}

Output run(const Command& command, const RunLimits& limits) {
  const double begin = monotonic_seconds();
  const double deadline =
      begin + std::chrono::duration<double>(limits.timeout).count();
  Output output;
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  Child child = Child::start(command, out.write.get(), err.write.get());
  out.write.reset();
  err.write.reset();
  drain(command, out, err, output, limits, deadline);
  const auto status = child.wait(
      std::chrono::milliseconds(remaining_ms(deadline)), limits.interrupt);
  if (!status)
    throw Error(fmt::format("{} did not end in time", command.argv[0]));
  output.real_s = monotonic_seconds() - begin;
  output.status = *status;
  return output;
}

std::string run_checked(const Command& command, const RunLimits& limits) {
  Output output = run(command, limits);
  if (output.status.success()) return std::move(output.out);
  const std::string& words = output.err.empty() ? output.out : output.err;
  throw Error(fmt::format("{} failed with {}{}{}", command.argv[0],
                          output.status.text(), trim(words).empty() ? "" : ": ",
                          last_lines(words, 5)),
              "The command was: " + to_shell_text(command));
}

std::optional<std::filesystem::path> find_program(const std::string& program) {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  if (program.find('/') != std::string::npos) {
    if (is_program(program)) return program;
    return std::nullopt;
  }
  for (const std::string& folder : split(path != nullptr ? path : "", ':')) {
    const std::filesystem::path candidate =
        std::filesystem::path(folder.empty() ? "." : folder) / program;
    if (is_program(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace sidegrade::base
