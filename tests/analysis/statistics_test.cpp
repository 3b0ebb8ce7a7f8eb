#include "analysis/statistics.h"

#include <gtest/gtest.h>

namespace sidegrade::analysis {
namespace {

TEST(Quantile, InterpolatesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
}

TEST(Quantile, OfOneValueIsThatValue) {
  EXPECT_DOUBLE_EQ(quantile({7}, 0.25), 7);
}

TEST(Summary, IsTheMedianOfTheBootsMedians) {
  const auto summary =
      summarise({{"a", {1, 1, 1, 1, 1}}, {"b", {5, 9, 6}}, {"c", {8}}});
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->median, 6);
  EXPECT_EQ(summary->trials, 9U);
  EXPECT_EQ(summary->boots, 3U);
}

TEST(Summary, SpreadIsHalfTheInterquartileRangeOfAllTrials) {
  const auto summary = summarise({{"a", {1, 2}}, {"b", {3, 4, 5}}});
  ASSERT_TRUE(summary && summary->spread);
  EXPECT_DOUBLE_EQ(*summary->spread, 1);
}

TEST(Summary, OneTrialHasNoSpread) {
  const auto summary = summarise({{"a", {1.312}}});
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->median, 1.312);
  EXPECT_FALSE(summary->spread);
}

TEST(Summary, ASeriesWithoutValuesHasNone) {
  EXPECT_FALSE(summarise({}));
  EXPECT_FALSE(summarise({{"a", {}}}));
}

}  // namespace
}  // namespace sidegrade::analysis
