#pragma once

#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace sidegrade::scenario {

/// One planned execution of the workload on one target.
struct Trial {
  int number = 0;  ///< from 1
  int round = 0;   ///< from 1; 0 for a warm-up
  bool warmup = false;
  size_t target = 0;  ///< index into Scenario::targets
};

/// The trials in order. Rotated: each round begins one target further on, from
/// a seeded start; random: each round in seeded random order; fixed: as
/// written. The same seed gives the same order on any machine.
std::vector<Trial> plan_trials(const Scenario& scenario);

}  // namespace sidegrade::scenario
