#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "bench/progress.h"

namespace sidegrade::cli {

/// Progress on standard error. On a terminal the step that goes on is redrawn
/// in place; elsewhere each step is a plain line once it has ended.
class TerminalProgress : public bench::Progress {
 public:
  TerminalProgress();
  ~TerminalProgress() override;

  void run_started(const bench::RunTitle& title) override;
  void trial_started(const bench::TrialTitle& title) override;
  void step_started(std::string_view step) override;
  void step_finished(std::string_view step, double seconds) override;
  void trial_finished(const store::Sample& sample) override;
  void warn(const std::string& text) override;

 private:
  void keep_drawing();
  void draw_step();
  void clear_line();
  std::string time_left() const;

  const bool live_;  ///< standard error is a terminal that can redraw a line
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  bench::RunTitle run_;
  bench::TrialTitle trial_;
  double run_begin_s_ = 0;
  std::string step_;  ///< empty: none goes on
  double step_begin_s_ = 0;
  std::thread drawer_;
};

}  // namespace sidegrade::cli
