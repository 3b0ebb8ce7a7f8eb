#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/progress.h"

namespace sidegrade::test {

/// Keeps what a run told, and lets a test do something at each of its steps.
class RecordingProgress : public bench::Progress {
 public:
  /// Called at every event with its text: "trial 1", "step import", "end 1".
  std::function<void(const std::string&)> at_event = [](const auto&) {};

  std::vector<std::string> events;
  std::vector<std::string> warnings;

  void run_started(const bench::RunTitle&) override { tell("run"); }
  void trial_started(const bench::TrialTitle& title) override {
    tell("trial " + std::to_string(title.trial));
  }
  void step_started(std::string_view step) override {
    tell("step " + std::string(step));
  }
  void step_finished(std::string_view, double) override {}
  void trial_finished(const store::Sample& sample) override {
    tell("end " + std::to_string(sample.trial));
  }
  void warn(const std::string& text) override { warnings.push_back(text); }

 private:
  void tell(const std::string& event) {
    events.push_back(event);
    at_event(event);
  }
};

}  // namespace sidegrade::test
