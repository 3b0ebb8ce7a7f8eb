#include "report/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "report/layout.h"

namespace sidegrade::report {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing::ResultOf;

/// Compares with the golden file; on a mismatch the new text stays beside it.
void expect_golden(const std::string& text, const std::string& name) {
  const std::string golden = SIDEGRADE_SOURCE_DIR "/tests/data/report/" + name;
  if (base::try_read_file(golden) == text) return;
  std::ofstream(golden + ".new") << text;
  FAIL() << name << " is not as expected:\n"
         << text << "If the new text is right: cp " << golden << ".new "
         << golden;
}

ComparisonTable figures_of_2004(By by = By::kKernel) {
  return build_table(store::load(SIDEGRADE_SOURCE_DIR "/results/cetra-2004",
                                 store::Detail::kTimes),
                     {}, by);
}

Row row(const std::string& phase, const std::string& group, double factor) {
  Row row{phase, group, "real_s", "real", {}, {}};
  row.cells = {analysis::Summary{162.86 * factor, 14.1 * factor, 25, 5},
               analysis::Summary{0.94 * factor, 0.03, 24, 5}};
  row.ratios = {std::nullopt, 0.94 / 162.86};
  return row;
}

ComparisonTable example_table() {
  ComparisonTable table;
  table.scenario = "schema, \"import\"";
  table.host = "lab|3";
  table.columns = {"6.1.0-42-amd64", "6.12.48-1-amd64"};
  table.groups = {"ext3", "xfs"};
  table.rows = {row("schema", "ext3", 1), row("schema", "xfs", 0.1),
                row("import", "ext3", 2)};
  table.rows[2].cells[1]->trials = 20;
  table.rows[1].cells[1].reset();
  table.rows[1].ratios[1].reset();
  table.differences = {{"cpu.microcode", {"0x2b", "0x2c"}}};
  table.notes = {
      "2 failed trials are left out; the first: import on xfs "
      "under 6.12.48-1-amd64: The server ended unexpectedly."};
  return table;
}

TEST(RenderText, TheFiguresOf2004HaveTheRatiosThatFollowFromThem) {
  expect_golden(render(figures_of_2004(), Format::kText), "cetra-2004.txt");
}

TEST(RenderText, TheFiguresOf2004CanBeTurned) {
  expect_golden(render(figures_of_2004(By::kTarget), Format::kText),
                "cetra-2004-by-target.txt");
}

TEST(RenderText, ATableIsLaidOutWithinEightyColumns) {
  const std::string text = render(example_table(), Format::kText);
  EXPECT_THAT(base::split(text, '\n'), Each(ResultOf(width_of, Le(80U))));
  expect_golden(text, "example.txt");
}

TEST(RenderText, WhatIsTooWideIsStacked) {
  expect_golden(render(example_table(), Format::kText, 50),
                "example-narrow.txt");
}

TEST(RenderText, SaysSoIfNothingWasMeasured) {
  ComparisonTable table = example_table();
  table.rows.clear();
  EXPECT_THAT(render(table, Format::kText), HasSubstr("No trial that counts"));
}

TEST(RenderText, ASingleGroupIsNamedInTheTitleOnly) {
  ComparisonTable table{.scenario = "s",
                        .host = "h",
                        .by = By::kTarget,
                        .columns = {"ext3", "xfs"},
                        .groups = {"6.1"}};
  const analysis::Summary second{.median = 1, .trials = 1, .boots = 1};
  table.rows = {{"import", "6.1", "real_s", "real", {second, second}, {{}, 1}}};
  const std::string text = render(table, Format::kText);
  EXPECT_THAT(text, testing::StartsWith("s · 2 targets under 6.1 · host h\n"));
  EXPECT_EQ(text.find("6.1"), text.rfind("6.1"));
}

TEST(RenderText, HoldsNoWordOfJudgement) {
  for (const By by : {By::kKernel, By::kTarget}) {
    for (const char* word : {"better", "worse", "faster", "regression"}) {
      EXPECT_THAT(render(figures_of_2004(by), Format::kText),
                  Not(HasSubstr(word)));
    }
  }
}

TEST(RenderText, KernelsKeepTheirEndingIfItIsNotOfAll) {
  ComparisonTable table = example_table();
  table.columns = {"6.1.0-42-amd64", "6.1.0-42-rt"};
  EXPECT_THAT(render(table, Format::kText), HasSubstr("6.1.0-42-amd64"));
  table.columns = {"6.1.0-amd64", "6.1.1-amd64"};
  EXPECT_THAT(render(table, Format::kText), Not(HasSubstr("6.1.0-amd64")));
}

TEST(RenderMarkdown, IsATableWithItsSpecialCharactersEscaped) {
  expect_golden(render(example_table(), Format::kMarkdown), "example.md");
}

TEST(RenderCsv, IsOneLineACellWithFullPrecision) {
  expect_golden(render(example_table(), Format::kCsv), "example.csv");
}

TEST(RenderJson, HoldsAllThatTheTableHolds) {
  expect_golden(render(example_table(), Format::kJson), "example.json");
}

TEST(FormatNamed, AnUnknownNameIsAnErrorWithTheNearestOne) {
  EXPECT_EQ(format_named("md"), Format::kMarkdown);
  try {
    format_named("jsn");
    FAIL() << "it was accepted";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean \"json\""));
  }
}

store::History example_list() {
  store::History history;
  history.runs.resize(2);
  for (store::Run& run : history.runs) {
    run.header.run_id = "20261130T163658Z";
    run.header.host = "lab";
    run.header.kernel = "6.1.0-42-amd64";
    run.header.started_at = "2026-11-30T16:36:58Z";
    run.header.scenario_name = "quickstart";
    run.samples.resize(3);
    run.samples[0].target = "ext3";
    run.samples[0].warmup = true;
    run.samples[1].target = "xfs";
    run.samples[1].failure = store::Failure{};
    run.samples[2].target = "xfs";
  }
  // The first was cut off; the second ended, on a changed machine.
  history.runs[1].notes.resize(1);
  history.runs[1].notes[0].kind = "run_finished";
  history.runs[1].notes[0].invalidates_run = true;
  history.warnings = {"x.jsonl:2: bad"};
  return history;
}

TEST(RenderList, NamesRunsKernelsTargetsAndTrials) {
  expect_golden(render_list(example_list(), Format::kText), "list.txt");
  expect_golden(render_list(example_list(), Format::kJson), "list.json");
}

TEST(RenderList, OtherFormatsAreRefused) {
  EXPECT_THROW(render_list({}, Format::kCsv), base::Error);
}

TEST(Layout, WidthsAreCodePointsNotBytes) {
  EXPECT_EQ(width_of("±4.1 →"), 6U);
  EXPECT_EQ(pad("±1", 4, Align::kRight), "  ±1");
  EXPECT_EQ(pad("±1", 4, Align::kLeft), "±1  ");
}

TEST(Layout, WrappingKeepsALongWordWhole) {
  EXPECT_EQ(wrap("a bb a-very-long-word c", 6, 2),
            "a bb\n  a-very-long-word\n  c");
}

}  // namespace
}  // namespace sidegrade::report
