#include "scenario/plan.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace sidegrade::scenario {
namespace {

/// Uniform in [0, limit). The standard's distributions differ from one library
/// to the next; its generator does not.
uint64_t draw_below(uint64_t limit, std::mt19937_64& random) {
  const uint64_t accepted = UINT64_MAX - UINT64_MAX % limit;
  uint64_t draw = random();
  while (draw >= accepted) draw = random();
  return draw % limit;
}

/// Fisher–Yates.
void shuffle(std::vector<size_t>& targets, std::mt19937_64& random) {
  for (size_t left = targets.size(); left > 1; --left) {
    std::swap(targets[left - 1], targets[draw_below(left, random)]);
  }
}

}  // namespace

std::vector<Trial> plan_trials(const Scenario& scenario) {
  const Repetitions& repetitions = scenario.repetitions;
  std::vector<size_t> targets(scenario.targets.size());
  std::iota(targets.begin(), targets.end(), size_t{0});
  std::mt19937_64 random(repetitions.seed);
  if (repetitions.order == Order::kRotated && !targets.empty()) {
    const auto start =
        static_cast<std::ptrdiff_t>(draw_below(targets.size(), random));
    std::rotate(targets.begin(), targets.begin() + start, targets.end());
  }
  std::vector<Trial> trials;
  for (int i = 0; i < repetitions.warmup + repetitions.rounds; ++i) {
    if (repetitions.order == Order::kRandom) shuffle(targets, random);
    const bool warmup = i < repetitions.warmup;
    const int round = warmup ? 0 : i - repetitions.warmup + 1;
    for (const size_t target : targets) {
      const int number = static_cast<int>(trials.size()) + 1;
      trials.push_back({number, round, warmup, target});
    }
    if (repetitions.order == Order::kRotated && !targets.empty()) {
      std::rotate(targets.begin(), targets.begin() + 1, targets.end());
    }
  }
  return trials;
}

}  // namespace sidegrade::scenario
