#include "store/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/json_text.h"
#include "store/sample_records.h"

namespace sidegrade::store {
namespace {

using testing::HasSubstr;
using testing::Not;

Sample reread(const Sample& sample, Detail detail = Detail::kEverything) {
  return std::get<Sample>(parse_record(record_line(sample), detail));
}

TEST(Format, AHeaderIsReadAsItWasWritten) {
  const RunHeader header = example_header();
  const RunHeader read = parse_header(header_line(header));
  EXPECT_EQ(read.run_id, header.run_id);
  EXPECT_EQ(read.boot_id, header.boot_id);
  EXPECT_EQ(read.scenario_text, header.scenario_text);
  EXPECT_EQ(read.input_sha256, header.input_sha256);
  EXPECT_EQ(read.environment.at("cpu.model").value, "Example \"CPU\"");
  EXPECT_EQ(read.environment.at("cpu.microcode").absent_because,
            "/proc/cpuinfo is silent");
  EXPECT_EQ(header_line(read), header_line(header));
}

TEST(Format, ASampleIsReadAsItWasWritten) {
  const Sample sample = example_sample();
  const Sample read = reread(sample);
  EXPECT_EQ(record_line(read), record_line(sample));
  EXPECT_EQ(read.trial, 3);
  EXPECT_EQ(read.uptime_s, 1234.5);
  ASSERT_EQ(read.phases.size(), 2U);
  EXPECT_EQ(read.phases[1].metrics, sample.phases[1].metrics);
  EXPECT_EQ(read.phases[1].absent, sample.phases[1].absent);
  EXPECT_EQ(read.phases[1].devices, sample.phases[1].devices);
  EXPECT_EQ(read.tables.at(0).checksum, "1f2e");
  EXPECT_EQ(read.tables_sha256, tables_sha256(sample.tables));
  EXPECT_EQ(read.postgres_settings, sample.postgres_settings);
  EXPECT_EQ(read.warnings, sample.warnings);
}

TEST(Format, AMetricOfOnePhaseStaysOutOfTheOthers) {
  const Sample read = reread(example_sample());
  EXPECT_FALSE(read.phases[0].metrics.contains("wal_bytes"));
  EXPECT_TRUE(read.phases[0].devices.empty() ||
              read.phases[0].devices.at("sda").empty());
  EXPECT_FALSE(read.phases[1].metrics.contains("user_s"));
}

TEST(Format, ADoubleSurvivesToTheLastBit) {
  EXPECT_EQ(reread(example_sample()).phases[0].metrics.at("user_s"), 1.0 / 3);
}

TEST(Format, AnIntegerIsWrittenWithoutAPoint) {
  EXPECT_THAT(record_line(example_sample()), HasSubstr("16777216]"));
}

TEST(Format, AFailureKeepsWhatWasMeasuredBeforeIt) {
  Sample sample = example_sample();
  sample.failure = Failure{"import", "The server ended.", "See its log."};
  const Sample read = reread(sample);
  ASSERT_TRUE(read.failure);
  EXPECT_EQ(read.failure->sentence, "The server ended.");
  EXPECT_EQ(read.failure->hint, "See its log.");
  EXPECT_EQ(read.phases.size(), 2U);
}

TEST(Format, AReadingOfTimesOnlyHasWhatComparingNeeds) {
  Sample sample = example_sample();
  sample.failure = Failure{"import", "The server ended.", ""};
  const Sample read = reread(sample, Detail::kTimes);
  EXPECT_EQ(read.target, "xfs");
  EXPECT_EQ(read.phases[1].metrics, (Metrics{{"real_s", 90.746}}));
  EXPECT_EQ(read.tables_sha256, tables_sha256(sample.tables));
  EXPECT_EQ(read.warnings, sample.warnings);
  EXPECT_TRUE(read.failure);
  EXPECT_TRUE(read.tables.empty());
}

TEST(Format, TextThatLooksLikeTheDetailsDoesNotEndAReadingOfTimes) {
  Sample sample = example_sample();
  sample.target = R"(x,"details":{y)";
  EXPECT_EQ(reread(sample, Detail::kTimes).target, sample.target);
}

TEST(Format, BytesThatAreNoUtf8AreReplacedNotThrownAt) {
  Sample sample = example_sample();
  sample.target =
      "x\xff"
      "fs";
  sample.warnings = {"torn \xe2\x82"};
  EXPECT_EQ(reread(sample).target,
            "x\xEF\xBF\xBD"
            "fs");
  EXPECT_EQ(json_quote("a\xff\"\n"), "\"a\xEF\xBF\xBD\\\"\\n\"");
}

TEST(Format, FieldsOfANewerWriterAreKept) {
  std::string line = record_line(example_sample());
  line.insert(line.size() - 2, R"(,"numa":[1,2])");
  line.insert(line.size() - 1, R"(,"mood":"calm")");
  const auto sample = std::get<Sample>(parse_record(line, Detail::kEverything));
  EXPECT_EQ(record_line(sample), line);

  std::string header = header_line(example_header());
  header.insert(header.size() - 2, R"(,"rack":7)");
  EXPECT_EQ(header_line(parse_header(header)), header);

  const std::string note =
      R"({"record":"note","kind":"warning","text":"hot","celsius":95})";
  EXPECT_EQ(record_line(std::get<Note>(parse_record(note, Detail::kTimes))),
            note);
}

TEST(Format, ANoteKeepsItsFactsAndItsConsequence) {
  Note note;
  note.kind = "environment_changed";
  note.text = "The governor changed.";
  note.facts = {{"cpu.governor", {"powersave", ""}}};
  note.invalidates_run = true;
  const auto read =
      std::get<Note>(parse_record(record_line(note), Detail::kEverything));
  EXPECT_TRUE(read.invalidates_run);
  EXPECT_EQ(read.facts.at("cpu.governor").value, "powersave");
  EXPECT_EQ(read.text, note.text);
}

TEST(Format, TheFingerprintOfTablesIgnoresTheirOrderAndVolatileOnes) {
  const TableCheck orders{"a.b.orders", 1, "11"};
  const TableCheck items{"a.b.items", 2, "22"};
  const TableCheck log{"a.b.log", 3, ""};
  EXPECT_EQ(tables_sha256({orders, items}),
            tables_sha256({items, log, orders}));
  EXPECT_NE(tables_sha256({orders}), tables_sha256({items}));
  EXPECT_EQ(tables_sha256({log}), "");
}

TEST(Format, AListOfTheWrongLengthIsABadLine) {
  const char* line =
      R"({"record":"sample","trial":1,"target":"x","phases":["a","b"],)"
      R"("seconds":{"real_s":[1]}})";
  EXPECT_THROW(parse_record(line, Detail::kTimes), base::Error);
}

TEST(Format, WrongTypesAndMissingFieldsAreErrorsOfOurOwn) {
  for (const char* line :
       {"", "{", "7", "null", "[]", "{}", R"({"record":7})",
        R"({"record":"sample"})", R"({"record":"note","kind":{}})",
        R"({"record":"sample","trial":"x","target":"x","phases":[]})",
        R"({"record":"sample","trial":1,"target":"x","phases":[{}]})",
        R"({"record":"sample","trial":1,"target":"x","phases":[],)"
        R"("details":7})"}) {
    EXPECT_THROW(parse_record(line, Detail::kEverything), base::Error) << line;
  }
}

TEST(Format, AHeaderOfANewerVersionIsToldApart) {
  try {
    parse_header(R"({"format":"sidegrade-results","version":2,"run":9})");
    FAIL() << "it was read";
  } catch (const NewerFormat& error) {
    EXPECT_EQ(error.version(), 2);
  }
}

TEST(Format, NoNumberIsWrittenForWhatWasNotMeasured) {
  Sample sample = example_sample();
  sample.uptime_s = 0;
  EXPECT_THAT(record_line(sample), Not(HasSubstr("uptime_s")));
}

}  // namespace
}  // namespace sidegrade::store
