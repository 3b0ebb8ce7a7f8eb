#include "report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/example_history.h"

namespace sidegrade::report {
namespace {

using analysis::example_run;
using analysis::example_sample;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two kernels, `boots` boots of each, `trials` trials a boot and target.
store::History history_of(int boots, int trials) {
  store::History history;
  for (int boot = 0; boot < boots; ++boot) {
    for (const char* kernel : {"6.1.0-1-amd64", "6.12.0-2-amd64"}) {
      const bool first = std::string(kernel) == "6.1.0-1-amd64";
      store::Run run = example_run(kernel, kernel + std::to_string(boot),
                                   std::to_string(boot));
      for (int trial = 0; trial < trials; ++trial) {
        run.samples.push_back(example_sample("ext3", first ? 4 : 3));
        run.samples.push_back(example_sample("xfs", first ? 2 : 3));
      }
      history.runs.push_back(run);
    }
  }
  return history;
}

TEST(ComparisonTable, ByKernelHasAColumnAKernelAndRowsOfTargets) {
  const ComparisonTable table = build_table(history_of(2, 3), {}, By::kKernel);
  EXPECT_THAT(table.columns, ElementsAre("6.1.0-1-amd64", "6.12.0-2-amd64"));
  ASSERT_EQ(table.rows.size(), 4U);
  const Row& row = table.rows[0];
  EXPECT_EQ(row.phase, "import");
  EXPECT_EQ(row.group, "ext3");
  EXPECT_EQ(row.measure, "real_s");
  EXPECT_DOUBLE_EQ(row.cells[1]->median, 3);
  EXPECT_EQ(row.cells[1]->trials, 6U);
  EXPECT_EQ(row.cells[1]->boots, 2U);
  EXPECT_FALSE(row.ratios[0]);
  EXPECT_DOUBLE_EQ(*row.ratios[1], 0.75);
  EXPECT_EQ(table.rows[1].label, "server cpu");
  EXPECT_EQ(table.rows[2].group, "xfs");
}

TEST(ComparisonTable, ByTargetHasAColumnATargetAndRowsOfKernels) {
  const ComparisonTable table = build_table(history_of(2, 3), {}, By::kTarget);
  EXPECT_THAT(table.columns, ElementsAre("ext3", "xfs"));
  EXPECT_EQ(table.rows[0].group, "6.1.0-1-amd64");
  EXPECT_DOUBLE_EQ(*table.rows[0].ratios[1], 0.5);
}

TEST(ComparisonTable, OneTrialOnOneBootIsSaidPlainly) {
  EXPECT_THAT(build_table(history_of(1, 1), {}, By::kKernel).notes,
              Contains("one trial on one boot of each kernel: a difference "
                       "here can be chance"));
  EXPECT_THAT(build_table(history_of(1, 3), {}, By::kKernel).notes,
              Contains(HasSubstr("one boot of each kernel")));
  EXPECT_THAT(build_table(history_of(2, 3), {}, By::kKernel).notes, IsEmpty());
}

TEST(ComparisonTable, ATargetOfOneKernelOnlyHasAnEmptyCellAndNoRatio) {
  store::History history = history_of(1, 1);
  history.runs[1].samples.pop_back();
  const ComparisonTable table = build_table(history, {}, By::kKernel);
  EXPECT_TRUE(table.rows[2].cells[0]);
  EXPECT_FALSE(table.rows[2].cells[1]);
  EXPECT_FALSE(table.rows[2].ratios[1]);
}

TEST(ComparisonTable, TimesOfAFewTicksAreNotDivided) {
  store::History history = history_of(1, 1);
  for (store::Run& run : history.runs) {
    for (store::Sample& sample : run.samples) {
      sample.phases[0].metrics["user_s"] = 0.0049;
    }
  }
  for (const Row& row : build_table(history, {}, By::kKernel).rows) {
    EXPECT_EQ(row.ratios[1].has_value(), row.measure != "user_s")
        << row.measure;
  }
}

TEST(ComparisonTable, NothingIsDividedByZero) {
  store::History history = history_of(1, 1);
  history.runs[0].samples[0].phases[0].metrics["real_s"] = 0;
  EXPECT_FALSE(build_table(history, {}, By::kKernel).rows[0].ratios[1]);
}

}  // namespace
}  // namespace sidegrade::report
