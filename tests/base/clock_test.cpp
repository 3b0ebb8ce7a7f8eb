#include "base/clock.h"

#include <gtest/gtest.h>

namespace sidegrade::base {
namespace {

constexpr std::chrono::system_clock::time_point kMoment{
    std::chrono::seconds(1'796'056'618)};

TEST(Clock, TheTimeOfDayIsPrintedInUtc) {
  EXPECT_EQ(utc_timestamp(kMoment), "2026-11-30T16:36:58Z");
  EXPECT_EQ(utc_timestamp({}), "1970-01-01T00:00:00Z");
}

TEST(Clock, CompactTimestampsSortAsTimeDoes) {
  EXPECT_EQ(compact_timestamp(kMoment), "20261130T163658Z");
  EXPECT_LT(compact_timestamp(kMoment),
            compact_timestamp(kMoment + std::chrono::seconds(3)));
}

TEST(Clock, MonotonicSecondsDoNotGoBack) {
  const double earlier = monotonic_seconds();
  EXPECT_GE(monotonic_seconds(), earlier);
}

}  // namespace
}  // namespace sidegrade::base
