#include "workload/sections.h"

#include <gmock/gmock.h>

namespace sidegrade::workload {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kEnd = Stretch::kToTheEnd;
constexpr auto kSchema = PhaseKind::kSchema;
constexpr auto kImport = PhaseKind::kImport;
constexpr auto kIndex = PhaseKind::kIndex;

/// A file of 100 steps.
InputFile script(std::optional<int64_t> data_begin,
                 std::optional<int64_t> post_data_begin) {
  InputFile file{.role = "data"};
  file.outline.data_begin = data_begin;
  file.outline.post_data_begin = post_data_begin;
  file.outline.steps = 100;
  return file;
}

InputFile whole(PhaseKind phase) { return {.role = "any", .phase = phase}; }

std::vector<Stretch> plan(const std::vector<InputFile>& files) {
  return plan_stretches(files, {});
}

TEST(Sections, OfAPlainDumpAreItsThreeParts) {
  EXPECT_THAT(plan({script(10, 90)}),
              ElementsAre(Stretch{0, 10, kSchema}, Stretch{0, 90, kImport},
                          Stretch{0, kEnd, kIndex}));
}

TEST(Sections, OfADumpWithoutIndexesAreTwo) {
  EXPECT_THAT(plan({script(10, {})}),
              ElementsAre(Stretch{0, 10, kSchema}, Stretch{0, kEnd, kImport}));
}

TEST(Sections, OfDataAloneAreOne) {
  EXPECT_THAT(plan({script(0, {})}), ElementsAre(Stretch{0, kEnd, kImport}));
}

TEST(Sections, WithoutAnyDataAllIsSchema) {
  EXPECT_THAT(
      plan({script({}, 40), script({}, {})}),
      ElementsAre(Stretch{0, kEnd, kSchema}, Stretch{1, kEnd, kSchema}));
}

TEST(Sections, OfNoFilesAreNone) { EXPECT_THAT(plan({}), IsEmpty()); }

TEST(Sections, BehindASchemaFileWhatComesBeforeTheDataIsImport) {
  EXPECT_THAT(plan({whole(kSchema), script(10, 90)}),
              ElementsAre(Stretch{0, kEnd, kSchema}, Stretch{1, 90, kImport},
                          Stretch{1, kEnd, kIndex}));
}

TEST(Sections, SeveralSchemaFilesAreAllSchema) {
  EXPECT_THAT(plan({whole(kSchema), whole(kSchema), script(0, {})}),
              ElementsAre(Stretch{0, kEnd, kSchema}, Stretch{1, kEnd, kSchema},
                          Stretch{2, kEnd, kImport}));
}

TEST(Sections, OfThreeFilesAreFoundOverTheWholeSequence) {
  EXPECT_THAT(plan({script({}, {}), script(5, {}), script({}, 7)}),
              ElementsAre(Stretch{0, kEnd, kSchema}, Stretch{1, 5, kSchema},
                          Stretch{1, kEnd, kImport}, Stretch{2, 7, kImport},
                          Stretch{2, kEnd, kIndex}));
}

TEST(Sections, IndexesBeforeTheDataAreSchema) {
  EXPECT_THAT(
      plan({script({}, 40), script(0, {})}),
      ElementsAre(Stretch{0, kEnd, kSchema}, Stretch{1, kEnd, kImport}));
}

TEST(Sections, IndexesBetweenTwoFilesOfDataAreImport) {
  EXPECT_THAT(plan({script(10, 90), script(10, 90)}),
              ElementsAre(Stretch{0, 10, kSchema}, Stretch{0, kEnd, kImport},
                          Stretch{1, 90, kImport}, Stretch{1, kEnd, kIndex}));
}

TEST(Sections, WhatFollowsTheFirstIndexBehindTheDataIsIndex) {
  EXPECT_THAT(plan({script(10, 90), script({}, {})}),
              ElementsAre(Stretch{0, 10, kSchema}, Stretch{0, 90, kImport},
                          Stretch{0, kEnd, kIndex}, Stretch{1, kEnd, kIndex}));
}

TEST(Sections, OfAnArchiveAreItsOwn) {
  EXPECT_THAT(plan({whole(kSchema), whole(kImport), whole(kIndex)}),
              ElementsAre(Stretch{0, kEnd, kSchema}, Stretch{1, kEnd, kImport},
                          Stretch{2, kEnd, kIndex}));
}

TEST(Sections, OfTwoArchivesKeepTheirOrder) {
  EXPECT_THAT(plan({whole(kSchema), whole(kImport), whole(kIndex),
                    whole(kSchema), whole(kImport), whole(kIndex)}),
              ElementsAre(Stretch{0, kEnd, kSchema}, Stretch{1, kEnd, kImport},
                          Stretch{2, kEnd, kImport}, Stretch{3, kEnd, kImport},
                          Stretch{4, kEnd, kImport}, Stretch{5, kEnd, kIndex}));
}

TEST(Sections, AnArchiveBehindAScriptNeverGoesBackToSchema) {
  EXPECT_THAT(
      plan({whole(kSchema), script({}, {}), whole(kSchema), whole(kImport)}),
      ElementsAre(Stretch{0, kEnd, kSchema}, Stretch{1, kEnd, kImport},
                  Stretch{2, kEnd, kImport}, Stretch{3, kEnd, kImport}));
}

TEST(Sections, OfPsqlAreWholeFiles) {
  const WorkloadSpec spec{.client = Client::kPsql};
  EXPECT_THAT(
      plan_stretches({script(10, 90), script({}, 7)}, spec),
      ElementsAre(Stretch{0, kEnd, kImport}, Stretch{1, kEnd, kImport}));
  EXPECT_THAT(
      plan_stretches({whole(kSchema), whole(kImport), whole(kIndex)}, spec),
      ElementsAre(Stretch{0, kEnd, kSchema}, Stretch{1, kEnd, kImport},
                  Stretch{2, kEnd, kIndex}));
}

TEST(Sections, OfAScriptThatDependsOnTheSessionAreNone) {
  InputFile file = script({}, 7);
  file.outline.depends_on_session = true;
  EXPECT_THAT(plan({file}), ElementsAre(Stretch{0, kEnd, kImport}));
}

TEST(Sections, OfPhasesLeftOutBelongToImport) {
  const WorkloadSpec spec{
      .phases = {PhaseKind::kCreateDatabase, PhaseKind::kImport}};
  EXPECT_THAT(plan_stretches({script(10, 90)}, spec),
              ElementsAre(Stretch{0, kEnd, kImport}));
}

}  // namespace
}  // namespace sidegrade::workload
