#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/record.h"

namespace sidegrade::bench {

struct RunTitle {
  int trials = 0;
  uint64_t input_bytes = 0;          ///< of all SQL files together
  std::optional<double> expected_s;  ///< by earlier runs
};

struct TrialTitle {
  int trial = 0;  ///< from 1
  int trials = 0;
  int round = 0;  ///< 0: warm-up
  std::string target;
};

/// What a run tells while it goes. Every call comes between timed spans.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void run_started(const RunTitle& title) = 0;
  virtual void trial_started(const TrialTitle& title) = 0;
  /// A step is a phase, or one of the steps around them (provision, initdb …).
  virtual void step_started(std::string_view step) = 0;
  virtual void step_finished(std::string_view step, double seconds) = 0;
  virtual void trial_finished(const store::Sample& sample) = 0;
  virtual void warn(const std::string& text) = 0;

  /// Bytes of the script sent so far; the one thing that moves in a timed span.
  std::atomic<uint64_t> bytes_sent{0};
};

}  // namespace sidegrade::bench
