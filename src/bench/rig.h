#pragma once

#include "scenario/plan.h"
#include "store/record.h"

namespace sidegrade::bench {

/// Measures one trial.
class Rig {
 public:
  virtual ~Rig() = default;
  /// Always a sample: measured values, or the failure with what was measured
  /// before it (an interruption too is a failure of the trial). Nothing of the
  /// trial is left on the machine when it returns.
  virtual store::Sample measure(const scenario::Trial& trial) = 0;
};

}  // namespace sidegrade::bench
