#include "analysis/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/example_history.h"
#include "base/error.h"

namespace sidegrade::analysis {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

store::History two_kernels() {
  store::History history;
  history.runs = {example_run("6.1.0-42-amd64", "b1", "2026-01-01"),
                  example_run("6.12.48-amd64", "b2", "2026-01-02"),
                  example_run("6.1.0-42-amd64", "b3", "2026-01-03")};
  return history;
}

std::string error_of(const store::History& history,
                     const Selection& selection) {
  try {
    select_runs(history, selection);
  } catch (const base::Error& error) {
    return std::string(error.what()) + " " + error.hint();
  }
  return "no error";
}

TEST(SelectRuns, KernelsComeInTheOrderTheyWereFirstMeasured) {
  const store::History history = two_kernels();
  const ComparableRuns runs = select_runs(history, {});
  EXPECT_THAT(runs.kernels, ElementsAre("6.1.0-42-amd64", "6.12.48-amd64"));
  EXPECT_EQ(runs.runs.size(), 3U);
  EXPECT_EQ(runs.host, "lab");
  EXPECT_EQ(runs.scenario, "quick");
  EXPECT_THAT(runs.notes, IsEmpty());
}

TEST(SelectRuns, NamedKernelsComeInTheirOrderAndMayBeShortened) {
  const store::History history = two_kernels();
  EXPECT_THAT(select_runs(history, {{"6.12", "6.1"}, "", ""}).kernels,
              ElementsAre("6.12.48-amd64", "6.1.0-42-amd64"));
  const ComparableRuns one = select_runs(history, {{"6.12.48"}, "", ""});
  EXPECT_EQ(one.runs.size(), 1U);
}

TEST(SelectRuns, AnAmbiguousKernelIsAnErrorThatNamesTheCandidates) {
  EXPECT_THAT(
      error_of(two_kernels(), {{"6"}, "", ""}),
      AllOf(HasSubstr("6.1.0-42-amd64, 6.12.48-amd64"), HasSubstr("uname -r")));
}

TEST(SelectRuns, AnUnknownNameIsAnErrorWithTheNearestOne) {
  EXPECT_THAT(error_of(two_kernels(), {{"6.12.84-amd64"}, "", ""}),
              HasSubstr("did you mean \"6.12.48-amd64\""));
  EXPECT_THAT(error_of(two_kernels(), {{}, "quik", ""}),
              HasSubstr("did you mean \"quick\""));
  EXPECT_THAT(error_of(two_kernels(), {{}, "", "lob"}),
              HasSubstr("did you mean \"lab\""));
}

TEST(SelectRuns, AnEmptyHistoryIsAnErrorWithANextStep) {
  EXPECT_THAT(error_of({}, {}), HasSubstr("sidegrade run"));
}

TEST(SelectRuns, TheNewestRunSaysWhichHostAndScenario) {
  store::History history = two_kernels();
  history.runs[0].header.scenario_name = "other";
  history.runs[1].header.host = "elsewhere";
  EXPECT_EQ(select_runs(history, {}).runs.size(), 1U);
  EXPECT_EQ(select_runs(history, {{}, "other", ""}).runs.size(), 1U);
  EXPECT_EQ(select_runs(history, {{}, "", "elsewhere"}).host, "elsewhere");
}

TEST(SelectRuns, RunsOfOtherDataOrAnotherScenarioTextAreNotedAndLeftOut) {
  store::History history = two_kernels();
  history.runs[0].header.input_sha256["data"] = "d0";
  history.runs[1].header.scenario_sha256 = "s0";
  const ComparableRuns runs = select_runs(history, {});
  EXPECT_EQ(runs.runs.size(), 1U);
  EXPECT_THAT(runs.notes,
              ElementsAre(HasSubstr("2 runs are left out, as its scenario or "
                                    "its data are not the newest run's: "
                                    "6.1.0-42-amd64@b1, 6.12.48-amd64@b2."),
                          "Of kernel 6.12.48-amd64 no run is left."));
}

TEST(SelectRuns, ARunWhoseEnvironmentChangedDoesNotCount) {
  store::History history = two_kernels();
  store::Note note;
  note.invalidates_run = true;
  history.runs[2].notes.push_back(note);
  const ComparableRuns runs = select_runs(history, {});
  EXPECT_EQ(runs.runs.size(), 2U);
  EXPECT_THAT(runs.notes, ElementsAre(HasSubstr("1 run is left out, as the "
                                                "environment changed")));
  history.runs[0].notes.push_back(note);
  history.runs[1].notes.push_back(note);
  EXPECT_THAT(error_of(history, {}), HasSubstr("Measure again"));
}

}  // namespace
}  // namespace sidegrade::analysis
