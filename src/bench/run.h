#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "bench/paths.h"
#include "bench/progress.h"
#include "bench/rig.h"
#include "host/state.h"
#include "scenario/plan.h"
#include "scenario/scenario.h"
#include "store/store.h"

namespace sidegrade::bench {

/// What came of a run.
struct RunOutcome {
  std::filesystem::path file;  ///< where it is kept
  int measured = 0;            ///< trials that ended well
  int failed = 0;
  bool interrupted = false;
  /// Facts of the environment that changed under the run; it then counts for
  /// nothing.
  std::vector<std::string> changed;
};

/// Surveys, prepares the inputs, locks the targets, then measures every trial
/// and appends each sample to the results. Throws ScenarioError or Error for
/// whatever is found before the first trial; after it, failures are samples.
RunOutcome execute_run(const scenario::Scenario& scenario, const Paths& paths,
                       Progress& progress, const base::Interrupt& interrupt);

/// What a run's loop works with.
struct TrialLoop {
  Rig& rig;
  store::RunWriter& writer;
  host::KernelLog& kernel_log;
  const base::Interrupt& interrupt;
};

/// Measures the trials in order. Each sample, and what the kernel warned of
/// meanwhile, is durable before the next trial begins; ends early when
/// interrupted. Counts into `outcome`.
void run_trials(const TrialLoop& loop,
                const std::vector<scenario::Trial>& trials,
                RunOutcome& outcome);

}  // namespace sidegrade::bench
