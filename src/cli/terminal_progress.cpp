#include "cli/terminal_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/clock.h"
#include "base/units.h"

namespace sidegrade::cli {
namespace {

constexpr std::chrono::milliseconds kRedrawEvery{500};

bool can_redraw() {
  const char* term = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe)
  return isatty(STDERR_FILENO) != 0 && term != nullptr &&
         std::string_view(term) != "dumb";
}

std::string round_text(const bench::TrialTitle& title) {
  return title.round == 0 ? "warm-up" : fmt::format("round {}", title.round);
}

}  // namespace

TerminalProgress::TerminalProgress()
    : live_(can_redraw()), run_begin_s_(base::monotonic_seconds()) {
  if (live_) drawer_ = std::thread([this] { keep_drawing(); });
}

TerminalProgress::~TerminalProgress() {
  if (!live_) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_one();
  drawer_.join();
}

void TerminalProgress::keep_drawing() {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, kRedrawEvery, [this] { return stop_; })) {
    draw_step();
  }
}

void TerminalProgress::draw_step() {
  if (step_.empty()) return;
  const double elapsed = base::monotonic_seconds() - step_begin_s_;
  std::string line =
      fmt::format("  ▸ {:<16} {:>8}", step_, base::format_duration(elapsed));
  const auto sent = static_cast<double>(bytes_sent.load());
  if (step_ == "import" && sent > 0) {
    line +=
        fmt::format("   {} of {}   {}/s", base::format_bytes(sent),
                    base::format_bytes(static_cast<double>(run_.input_bytes)),
                    base::format_bytes(sent / elapsed));
  }
  clear_line();
  fmt::print(stderr, "{}", line);
}

void TerminalProgress::clear_line() {
  if (live_) fmt::print(stderr, "\r\x1b[K");
}

/// From the pace of this run's trials, or of earlier runs before one has ended.
std::string TerminalProgress::time_left() const {
  const double elapsed = base::monotonic_seconds() - run_begin_s_;
  const int done = trial_.trial - 1;
  if (done > 0) {
    return fmt::format(
        "{} elapsed, {} left", base::format_duration(elapsed),
        base::format_duration(elapsed / done * (trial_.trials - done)));
  }
  if (run_.expected_s) {
    return fmt::format("about {} by earlier runs",
                       base::format_duration(*run_.expected_s));
  }
  return "";
}

void TerminalProgress::run_started(const bench::RunTitle& title) {
  const std::lock_guard lock(mutex_);
  run_ = title;
  run_begin_s_ = base::monotonic_seconds();
}

void TerminalProgress::trial_started(const bench::TrialTitle& title) {
  const std::lock_guard lock(mutex_);
  trial_ = title;
  const std::string left = time_left();
  fmt::print(stderr, "trial {}/{} · {} · {}{}{}\n", title.trial, title.trials,
             round_text(title), title.target, left.empty() ? "" : "   ", left);
}

void TerminalProgress::step_started(std::string_view step) {
  const std::lock_guard lock(mutex_);
  step_ = step;
  step_begin_s_ = base::monotonic_seconds();
}

void TerminalProgress::step_finished(std::string_view step, double seconds) {
  const std::lock_guard lock(mutex_);
  step_.clear();
  clear_line();
  fmt::print(stderr, "  ✓ {:<16} {:>8}\n", step,
             base::format_duration(seconds));
}

void TerminalProgress::trial_finished(const store::Sample& sample) {
  const std::lock_guard lock(mutex_);
  step_.clear();
  clear_line();
  if (!sample.failure) return;
  fmt::print(stderr, "  ✗ {}: {}\n", sample.failure->step,
             sample.failure->sentence);
  if (!sample.failure->hint.empty()) {
    fmt::print(stderr, "    {}\n", sample.failure->hint);
  }
}

void TerminalProgress::warn(const std::string& text) {
  const std::lock_guard lock(mutex_);
  clear_line();
  fmt::print(stderr, "warning: {}\n", text);
}

}  // namespace sidegrade::cli
