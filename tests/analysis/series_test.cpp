#include "analysis/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/example_history.h"

namespace sidegrade::analysis {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SeriesTable collect(const store::History& history) {
  return collect_series(select_runs(history, {}), default_measures());
}

TEST(Series, AreGroupedByBoot) {
  store::History history;
  history.runs = {example_run("k", "b1", "1"), example_run("k", "b2", "2"),
                  example_run("k", "b1", "3")};
  history.runs[0].samples = {example_sample("xfs", 1),
                             example_sample("xfs", 2)};
  history.runs[1].samples = {example_sample("xfs", 3)};
  history.runs[2].samples = {example_sample("xfs", 4)};
  const SeriesTable table = collect(history);
  const Series& real = table.at({0, 0, 0}, 0);
  ASSERT_EQ(real.size(), 2U);
  EXPECT_EQ(real[0].boot_id, "b1");
  EXPECT_THAT(real[0].values, ElementsAre(1, 2, 4));
  EXPECT_THAT(real[1].values, ElementsAre(3));
}

TEST(Series, ServerCpuIsTheSumOfItsUserAndSystemTime) {
  store::History history;
  history.runs = {example_run("k", "b1", "1")};
  history.runs[0].samples = {example_sample("xfs", 1.5)};
  const SeriesTable table = collect(history);
  ASSERT_EQ(table.measures[3].name, "server_cpu_s");
  EXPECT_THAT(table.at({0, 0, 0}, 3).at(0).values, ElementsAre(4.5));
}

TEST(Series, AMissingMetricIsNoValueNotZero) {
  store::History history;
  history.runs = {example_run("k", "b1", "1")};
  store::Sample sample = example_sample("xfs", 1);
  sample.phases[0].metrics.erase("server_sys_s");
  history.runs[0].samples = {sample};
  const SeriesTable table = collect(history);
  EXPECT_THAT(table.at({0, 0, 0}, 3), IsEmpty());
  EXPECT_THAT(table.at({0, 0, 0}, 1), IsEmpty());
}

TEST(Series, WarmUpsAndFailedTrialsAreNotedAndDoNotCount) {
  store::History history;
  history.runs = {example_run("k", "b1", "1")};
  store::Sample warmup = example_sample("xfs", 90);
  warmup.warmup = true;
  store::Sample failed = example_sample("xfs", 80);
  failed.failure = store::Failure{"import", "The server ended.", ""};
  history.runs[0].samples = {warmup, failed, example_sample("xfs", 1)};
  const SeriesTable table = collect(history);
  EXPECT_THAT(table.at({0, 0, 0}, 0).at(0).values, ElementsAre(1));
  EXPECT_THAT(table.notes,
              ElementsAre("1 failed trial is left out; the first: import on "
                          "xfs under k: The server ended.",
                          "1 warm-up is not counted."));
}

TEST(Series, TargetsAndPhasesComeInTheOrderTheyFirstAppear) {
  store::History history;
  history.runs = {example_run("k", "b1", "1")};
  store::Sample second = example_sample("ext3", 2);
  second.phases.insert(second.phases.begin(), {"schema", {}, {}, {}});
  history.runs[0].samples = {example_sample("xfs", 1), second};
  const SeriesTable table = collect(history);
  EXPECT_THAT(table.targets, ElementsAre("xfs", "ext3"));
  EXPECT_THAT(table.phases, ElementsAre("import", "schema"));
}

TEST(Series, TargetsComeAsTheScenarioOrdersThemIfTheRunSays) {
  store::History history;
  store::Run run = example_run("6.1", "b1", "1");
  run.header.targets = {"ext3", "xfs"};
  run.samples = {example_sample("xfs", 1), example_sample("ext3", 1)};
  history.runs = {run};
  EXPECT_THAT(collect(history).targets, ElementsAre("ext3", "xfs"));
}

TEST(Series, DifferentTableContentsAreNoted) {
  store::History history;
  history.runs = {example_run("k1", "b1", "1"), example_run("k2", "b2", "2")};
  history.runs[0].samples = {example_sample("xfs", 1)};
  history.runs[1].samples = {example_sample("xfs", 1)};
  history.runs[0].samples[0].tables_sha256 = "aaaaaaaaaa";
  EXPECT_THAT(collect(history).notes, IsEmpty());
  history.runs[1].samples[0].tables_sha256 = "bbbbbbbbbb";
  EXPECT_THAT(collect(history).notes,
              ElementsAre(AllOf(HasSubstr("not comparable"),
                                HasSubstr("aaaaaaaa under k1; bbbbbbbb under "
                                          "k2"))));
}

TEST(Series, WarningsOfTrialsAndRemarksOfRunsArePassedOn) {
  store::History history;
  history.runs = {example_run("k", "b1", "1")};
  history.runs[0].samples = {example_sample("xfs", 1)};
  history.runs[0].samples[0].warnings = {"another process wrote to sda"};
  store::Note remark;
  remark.kind = "remark";
  remark.text = "the disk was old";
  store::Note started;
  started.kind = "trial_started";
  history.runs[0].notes = {started, remark};
  EXPECT_THAT(collect(history).notes,
              ElementsAre("k: the disk was old",
                          "1 trial carries a warning; the first: another "
                          "process wrote to sda"));
}

}  // namespace
}  // namespace sidegrade::analysis
