#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace sidegrade::test {

/// Whether `body`, run in a forked process, returned true: for what would
/// change this process (signals, limits, its user).
template <typename Body>
testing::AssertionResult holds_when_forked(Body body) {
  const pid_t pid = fork();
  if (pid == 0) {
    try {
      _exit(body() ? 0 : 1);
    } catch (...) {
      _exit(2);
    }
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure()
         << "wait status " << status << " (256: it was false; 512: it threw)";
}

/// A process that holds what `make` returned, until this object's end kills it.
class Holder {
 public:
  template <typename Make>
  explicit Holder(Make make) {
    int ready[2];
    if (pipe(ready) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      close(ready[0]);
      const auto held = make();
      (void)!write(ready[1], "r", 1);
      for (;;) pause();
    }
    close(ready[1]);
    char byte = 0;
    ready_ = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  bool ready() const { return ready_; }

 private:
  pid_t pid_ = -1;
  bool ready_ = false;
};

}  // namespace sidegrade::test
