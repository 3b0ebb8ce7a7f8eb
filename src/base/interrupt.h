#pragma once

#include <chrono>

#include "base/unique_fd.h"

namespace sidegrade::base {

/// Whether the user asked to stop, without a signal handler or a global:
/// SIGINT, SIGTERM and SIGHUP are blocked and arrive as readable data of a
/// signalfd. Make one in main before any thread starts; child processes get the
/// signals unblocked again (base::Child sees to it).
class Interrupt {
 public:
  /// One that is never requested: for tests and for commands that do nothing
  /// long.
  static Interrupt never();
  /// Blocks the signals in this thread and in those it starts.
  static Interrupt on_signals();

  bool requested() const;
  /// Throws Interrupted if requested.
  void check() const;
  /// Waits that long, or until requested (then throws Interrupted).
  void sleep(std::chrono::milliseconds time) const;
  /// Readable once requested; -1 if it never is. For poll().
  int fd() const { return fd_.get(); }

 private:
  explicit Interrupt(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace sidegrade::base
