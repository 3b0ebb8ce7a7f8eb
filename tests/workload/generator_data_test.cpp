#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "workload/generated.h"
#include "workload/generator.h"

namespace sidegrade::workload {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

TableSpec family_table(const std::string& name, int64_t rows) {
  return {name, rows, false, std::nullopt, "", {{"id", PlaceKind{}}}};
}

/// t.parents, and one to four t.children of each.
GeneratorSpec family() {
  TableSpec children = family_table("t.children", 0);
  children.per = ParentSpec{"t.parents", {1, 4}};
  children.columns.push_back({"parent", PlaceKind{PlaceKind::Of::kParent}});
  children.columns.push_back({"place", PlaceKind{PlaceKind::Of::kOrdinal}});
  return {{}, {family_table("t.parents", 30), children}};
}

std::string message_of(const GeneratorSpec& spec) {
  try {
    check(spec);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(RowCounts, GrowWithTheScaleRoundedHalfUp) {
  const GeneratorSpec spec = one_column(5, PlaceKind{});
  EXPECT_EQ(row_counts(spec, 0.5).at("t.rows"), 3);
  EXPECT_EQ(row_counts(spec, 0.49).at("t.rows"), 2);
  EXPECT_EQ(row_counts(spec, 20).at("t.rows"), 100);
}

TEST(RowCounts, KeepOneRowOfATableHoweverSmallTheScale) {
  EXPECT_EQ(row_counts(one_column(5, PlaceKind{}), 0.001).at("t.rows"), 1);
  EXPECT_EQ(row_counts(one_column(0, PlaceKind{}), 0.001).at("t.rows"), 0);
}

TEST(RowCounts, OfAFixedTableDoNotGrow) {
  GeneratorSpec spec = one_column(7, PlaceKind{});
  spec.tables[0].fixed = true;
  EXPECT_EQ(row_counts(spec, 50).at("t.rows"), 7);
}

TEST(RowCounts, AreWhatIsGenerated) {
  for (const auto& [table, rows] : generated_rows(family(), 3, 9)) {
    EXPECT_EQ(row_counts(family(), 3).at(table), std::ssize(rows)) << table;
  }
}

TEST(RowCounts, OfAScaleThatIsNotAboveZeroAreRefused) {
  EXPECT_THAT([] { row_counts(family(), 0); },
              ThrowsMessage<base::Error>("the scale 0 is not above zero"));
}

TEST(RowCounts, BeyondThirtyTwoBitsAreRefused) {
  EXPECT_THAT([] { row_counts(family(), 1e9); },
              ThrowsMessage<base::Error>(
                  HasSubstr("table t.parents would get more rows")));
}

TEST(GeneratedChildren, AreNumberedWithinTheirParentInOrder) {
  int64_t parent = 0;
  int64_t place = 0;
  for (const auto& row : rows_of("t.children", family())) {
    const bool same = row[1] == std::to_string(parent);
    place = same ? place + 1 : 1;
    parent = same ? parent : parent + 1;
    EXPECT_EQ(row[1], std::to_string(parent));
    EXPECT_EQ(row[2], std::to_string(place));
    EXPECT_LE(place, 4);
  }
  EXPECT_EQ(parent, 30);
}

TEST(GeneratedData, IsTheSameForTheSameSeed) {
  const GeneratorSpec spec = one_column(50, IntegerKind{0, 1000000});
  EXPECT_EQ(generated(spec, 1, 5), generated(spec, 1, 5));
  EXPECT_NE(generated(spec, 1, 5), generated(spec, 1, 6));
}

TEST(GeneratedData, OfAColumnDoesNotDependOnItsNeighbours) {
  GeneratorSpec spec = one_column(50, IntegerKind{0, 1000000});
  const auto alone = values(spec);
  spec.tables[0].columns.push_back({"more", WordsKind{"odd", {1, 5}}});
  EXPECT_EQ(values(spec), alone);
}

TEST(GeneratedData, ComesInPiecesOfAboutAMebibyte) {
  const GeneratorSpec spec = one_column(300000, IntegerKind{1000000, 2000000});
  std::vector<size_t> sizes;
  generate_data(spec, 1, 1, "",
                [&](std::string_view piece) { sizes.push_back(piece.size()); });
  ASSERT_GT(sizes.size(), 2U);
  sizes.pop_back();
  EXPECT_THAT(sizes, Each(AllOf(testing::Ge(1U << 20), testing::Lt(1100000U))));
}

TEST(GeneratedData, IsADumpWithSequencesAndTheTrailerAtItsEnd) {
  GeneratorSpec spec = one_column(2, PlaceKind{});
  spec.tables[0].sequence = "t.rows_seq";
  EXPECT_THAT(
      generated(spec, 1, 1, "CREATE INDEX i ON t.rows (value);\n"),
      AllOf(StartsWith("SET client_encoding = 'UTF8';\n"),
            EndsWith("COPY t.rows (value) FROM stdin;\n1\n2\n\\.\n\n"
                     "SELECT pg_catalog.setval('t.rows_seq', 2, true);\n\n"
                     "CREATE INDEX i ON t.rows (value);\n")));
}

TEST(GeneratedData, LeavesTheSequenceOfAnEmptyTableAtItsStart) {
  GeneratorSpec spec = one_column(0, PlaceKind{});
  spec.tables[0].sequence = "t.rows_seq";
  EXPECT_THAT(generated(spec, 1, 1),
              HasSubstr("setval('t.rows_seq', 1, false)"));
}

TEST(GeneratedIntegers, ReachBothEndsOfTheirRangeAndNoFurther) {
  const auto found = values(one_column(200, IntegerKind{-1, 1}));
  const std::set<std::string> distinct(found.begin(), found.end());
  EXPECT_THAT(distinct, ElementsAre("-1", "0", "1"));
}

TEST(GeneratedDecimals, HaveTheirDigitsAndSign) {
  const auto found = values(one_column(2000, DecimalKind{-5, 5, 2}));
  EXPECT_THAT(found, Each(MatchesRegex("-?0\\.0[0-5]")));
  EXPECT_THAT(found, Contains("-0.05"));
  EXPECT_THAT(found, Contains("0.05"));
}

TEST(GeneratedTimestamps, AreRealDaysAcrossALeapDay) {
  const int64_t from = 1709078400;  // 2024-02-28
  const auto found =
      values(one_column(600, TimestampKind{from, from + 3 * 86400}));
  std::set<std::string> days;
  for (const std::string& value : found) days.insert(value.substr(0, 10));
  EXPECT_THAT(days, ElementsAre("2024-02-28", "2024-02-29", "2024-03-01"));
  EXPECT_THAT(found, Each(MatchesRegex("2024-..-.. ..:..:..\\.......\\+00")));
}

TEST(GeneratedTimestamps, ThatIncreaseAreSorted) {
  const auto found =
      values(one_column(500, TimestampKind{1700000000, 1710000000, true}));
  EXPECT_TRUE(std::ranges::is_sorted(found));
}

TEST(GeneratedTimestamps, AfterAnotherAreLaterOrNullWithIt) {
  GeneratorSpec spec =
      one_column(500, TimestampKind{1700000000, 1710000000}, 20);
  spec.tables[0].columns.push_back({"later", AfterKind{"value", {1, 3}}});
  for (const auto& row : rows_of("t.rows", spec)) {
    EXPECT_EQ(row[0] == "\\N", row[1] == "\\N");
    EXPECT_TRUE(row[0] == "\\N" || row[1] > row[0]);
  }
}

TEST(GeneratedReferences, AreKeysOfTheOtherTable) {
  for (int skew = 1; skew <= 4; ++skew) {
    GeneratorSpec spec = family();
    spec.tables[0].columns.push_back(
        {"friend", ReferenceKind{"t.parents", skew}});
    for (const auto& row : rows_of("t.parents", spec, 20)) {
      EXPECT_THAT(std::stol(row[1]), AllOf(testing::Ge(1), testing::Le(600)));
    }
  }
}

TEST(GeneratedReferences, MeetTheFirstKeysMoreOftenTheMoreTheyAreSkewed) {
  const auto rows_of_first_percent = [](int skew) {
    const auto found = values(one_column(10000, ReferenceKind{"t.rows", skew}));
    return std::ranges::count_if(
        found, [](const std::string& key) { return std::stol(key) <= 100; });
  };
  EXPECT_NEAR(static_cast<double>(rows_of_first_percent(1)), 100, 40);
  EXPECT_NEAR(static_cast<double>(rows_of_first_percent(2)), 1000, 150);
  EXPECT_NEAR(static_cast<double>(rows_of_first_percent(3)), 2154, 250);
}

TEST(GeneratedSpread, GivesEachKeyAnEqualShareInOrder) {
  GeneratorSpec spec = one_column(9, SpreadKind{"t.three"});
  spec.tables.push_back(family_table("t.three", 3));
  EXPECT_THAT(values(spec),
              ElementsAre("1", "1", "1", "2", "2", "2", "3", "3", "3"));
}

TEST(GeneratedChoices, FollowTheirWeights) {
  const auto found =
      values(one_column(10000, ChoiceKind{{{"a", 9}, {"b", 1}}}));
  EXPECT_NEAR(static_cast<double>(std::ranges::count(found, "b")), 1000, 150);
}

TEST(GeneratedCycles, BeginAgainAfterTheLast) {
  EXPECT_THAT(values(one_column(4, CycleKind{{"a", "b", "c"}})),
              ElementsAre("a", "b", "c", "a"));
}

TEST(GeneratedPatterns, FillTheirFields) {
  const auto found = values(one_column(
      3, PatternKind{"<{row}|{row:4}|{number:3}|{hex:5}|{word:odd}>"}));
  EXPECT_THAT(found[2],
              MatchesRegex("<3\\|0003\\|[0-9]{3}\\|[0-9a-f]{5}\\|.*>"));
}

TEST(GeneratedNulls, AreAsManyAsAskedFor) {
  const auto found = values(one_column(10000, IntegerKind{1, 9}, 25));
  EXPECT_NEAR(static_cast<double>(std::ranges::count(found, "\\N")), 2500, 200);
}

TEST(GeneratedText, IsEscapedForCopy) {
  const auto found = values(one_column(200, WordsKind{"odd", {1, 1}}));
  const std::set<std::string> distinct(found.begin(), found.end());
  EXPECT_THAT(distinct, ElementsAre("back\\\\slash", "line\\nbreak",
                                    "say \"hi\"", "tab\\there"));
}

TEST(GeneratedText, IsEscapedForAnArrayAndThenForCopy) {
  const auto found = values(one_column(300, ArrayKind{"odd", {0, 1}}));
  const std::set<std::string> distinct(found.begin(), found.end());
  EXPECT_THAT(distinct,
              ElementsAre(R"({"back\\\\slash"})", R"({"line\nbreak"})",
                          R"({"say \\"hi\\""})", R"({"tab\there"})", "{}"));
}

TEST(GeneratedText, IsEscapedForJsonAndThenForCopy) {
  const auto found = values(one_column(
      200, JsonKind{{{"k", WordsKind{"odd", {1, 1}}, 0},
                     {"l", ArrayKind{"odd", {0, 0}}, 0},
                     {"n", IntegerKind{1, 1}, 0},
                     {"o", JsonKind{{{"p", BooleanKind{100}, 0}}}, 0},
                     {"z", IntegerKind{1, 1}, 100}}}));
  const std::set<std::string> distinct(found.begin(), found.end());
  const std::string tail =
      R"(", "l": [], "n": 1, "o": {"p": true}, "z": null})";
  EXPECT_THAT(distinct, ElementsAre(R"({"k": "back\\\\slash)" + tail,
                                    R"({"k": "line\\u000abreak)" + tail,
                                    R"({"k": "say \\"hi\\")" + tail,
                                    R"({"k": "tab\\u0009here)" + tail));
}

TEST(GeneratorCheck, NamesTheColumnThatCannotBeMade) {
  EXPECT_EQ(
      message_of(one_column(1, WordsKind{"lost", {1, 1}})),
      "column value of table t.rows takes words of the unknown vocabulary "
      "lost");
  EXPECT_EQ(message_of(one_column(1, ReferenceKind{"t.lost"})),
            "column value of table t.rows refers to the unknown table t.lost");
  EXPECT_EQ(message_of(one_column(1, IntegerKind{2, 1})),
            "column value of table t.rows has a range whose end is before its "
            "beginning");
  EXPECT_EQ(message_of(one_column(1, PatternKind{"a{nub:3}"})),
            "column value of table t.rows has the unknown pattern field "
            "{nub:3}");
  EXPECT_EQ(message_of(one_column(1, PatternKind{"a{row"})),
            "column value of table t.rows has a pattern with a brace that is "
            "not closed");
  EXPECT_EQ(message_of(one_column(1, PlaceKind{PlaceKind::Of::kParent})),
            "column value of table t.rows numbers a parent, and the table has "
            "none");
}

TEST(GeneratorCheck, RefusesReferencesToATableWithoutRows) {
  GeneratorSpec spec = one_column(1, ReferenceKind{"t.empty"});
  spec.tables.push_back(family_table("t.empty", 0));
  EXPECT_EQ(
      message_of(spec),
      "column value of table t.rows refers to table t.empty, which has no "
      "rows");
}

TEST(GeneratorCheck, WantsAParentBeforeItsChildren) {
  GeneratorSpec spec = family();
  std::swap(spec.tables[0], spec.tables[1]);
  EXPECT_EQ(message_of(spec),
            "table t.children has rows per t.parents, which is no table before "
            "it");
}

TEST(GeneratorCheck, AcceptsWhatCanBeMade) {
  EXPECT_EQ(message_of(family()), "");
}

}  // namespace
}  // namespace sidegrade::workload
