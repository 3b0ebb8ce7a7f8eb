#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace sidegrade::base {

/// A moment of the monotonic clock until which something may last, or none.
class Deadline {
 public:
  static Deadline none() { return {}; }
  static Deadline after(std::chrono::milliseconds time) {
    Deadline deadline;
    deadline.end_ = Clock::now() + time;
    return deadline;
  }

  bool passed() const { return end_ && Clock::now() >= *end_; }
  /// What is left, in milliseconds, rounded up; nothing if there is no end.
  std::optional<std::chrono::milliseconds> left() const {
    if (!end_) return std::nullopt;
    const auto rest =
        std::chrono::ceil<std::chrono::milliseconds>(*end_ - Clock::now());
    return std::max(rest, std::chrono::milliseconds(0));
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<Clock::time_point> end_;
};

}  // namespace sidegrade::base
