#include "scenario/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <ostream>
#include <set>

namespace sidegrade::scenario {

/// For the names of the tests.
static void PrintTo(Order order, std::ostream* out) {
  constexpr std::array kNames = {"rotated", "random", "fixed"};
  *out << kNames.at(static_cast<size_t>(order));
}

namespace {

using testing::ElementsAre;

Scenario scenario_of(size_t targets, Order order, uint64_t seed = 1) {
  Scenario scenario;
  scenario.targets.resize(targets);
  scenario.repetitions = {
      .rounds = 6, .warmup = 2, .order = order, .seed = seed};
  return scenario;
}

/// The targets of each round (warm-ups too) in order.
std::vector<std::vector<size_t>> rounds_of(const Scenario& scenario) {
  std::vector<std::vector<size_t>> rounds;
  for (const Trial& trial : plan_trials(scenario)) {
    const auto number = static_cast<size_t>(trial.number - 1);
    if (number % scenario.targets.size() == 0) rounds.emplace_back();
    rounds.back().push_back(trial.target);
  }
  return rounds;
}

class PlanOrder : public testing::TestWithParam<Order> {};

TEST_P(PlanOrder, HoldsEachTargetOnceInEachRound) {
  const auto rounds = rounds_of(scenario_of(5, GetParam()));
  EXPECT_EQ(rounds.size(), 8U);
  for (const auto& round : rounds) {
    EXPECT_EQ(std::set<size_t>(round.begin(), round.end()).size(), 5U);
  }
}

TEST_P(PlanOrder, IsTheSameForTheSameSeed) {
  EXPECT_EQ(rounds_of(scenario_of(5, GetParam(), 7)),
            rounds_of(scenario_of(5, GetParam(), 7)));
}

INSTANTIATE_TEST_SUITE_P(Each, PlanOrder,
                         testing::Values(Order::kRotated, Order::kRandom,
                                         Order::kFixed));

TEST(Plan, WarmUpsComeFirstAsRoundZero) {
  const auto trials = plan_trials(scenario_of(2, Order::kFixed));
  ASSERT_EQ(trials.size(), 16U);
  for (size_t i = 0; i < trials.size(); ++i) {
    EXPECT_EQ(trials[i].number, static_cast<int>(i) + 1);
    EXPECT_EQ(trials[i].warmup, i < 4);
    EXPECT_EQ(trials[i].round, i < 4 ? 0 : static_cast<int>(i) / 2 - 1);
  }
}

TEST(Plan, FixedIsAsWritten) {
  for (const auto& round : rounds_of(scenario_of(3, Order::kFixed, 9))) {
    EXPECT_THAT(round, ElementsAre(0, 1, 2));
  }
}

TEST(Plan, RotatedBeginsEachRoundOneTargetFurtherOn) {
  const auto rounds = rounds_of(scenario_of(3, Order::kRotated));
  for (size_t i = 0; i < rounds.size(); ++i) {
    const size_t start = (rounds[0][0] + i) % 3;
    EXPECT_THAT(rounds[i],
                ElementsAre(start, (start + 1) % 3, (start + 2) % 3));
  }
}

TEST(Plan, RotatedBeginsWithEachTargetForSomeSeed) {
  std::set<size_t> starts;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    starts.insert(rounds_of(scenario_of(4, Order::kRotated, seed))[0][0]);
  }
  EXPECT_EQ(starts.size(), 4U);
}

TEST(Plan, RandomPutsEachTargetFirstAboutEquallyOften) {
  Scenario scenario = scenario_of(3, Order::kRandom);
  scenario.repetitions.rounds = 3000;
  std::map<size_t, int> first;
  for (const auto& round : rounds_of(scenario)) ++first[round[0]];
  for (const auto& [target, count] : first) {
    EXPECT_NEAR(count, 1000, 120) << target;
  }
}

TEST(Plan, RandomIsTheSameOnAnyMachine) {
  Scenario scenario = scenario_of(4, Order::kRandom, 1);
  scenario.repetitions.rounds = 1;
  EXPECT_THAT(rounds_of(scenario),
              ElementsAre(ElementsAre(1, 2, 3, 0), ElementsAre(0, 2, 1, 3),
                          ElementsAre(2, 1, 3, 0)));
}

}  // namespace
}  // namespace sidegrade::scenario
