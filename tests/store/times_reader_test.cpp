#include "store/times_reader.h"

#include <gtest/gtest.h>

#include "store/format.h"
#include "store/sample_records.h"

namespace sidegrade::store {
namespace {

/// The times of the sample, as the general reader has them.
Sample times_of(const std::string& line) {
  auto sample = std::get<Sample>(parse_record(line, Detail::kEverything));
  for (PhaseRecord& phase : sample.phases) {
    std::erase_if(phase.metrics, [](const auto& metric) {
      return !metric.first.ends_with("_s");
    });
  }
  return sample;
}

TEST(TimesReader, ReadsWhatTheGeneralReaderReads) {
  Sample sample = example_sample();
  sample.warmup = true;
  const std::string line = record_line(sample);
  const auto read = read_times(line);
  ASSERT_TRUE(read);
  const Sample expected = times_of(line);
  EXPECT_EQ(read->trial, expected.trial);
  EXPECT_EQ(read->round, expected.round);
  EXPECT_TRUE(read->warmup);
  EXPECT_EQ(read->target, expected.target);
  EXPECT_EQ(read->started_at, expected.started_at);
  EXPECT_EQ(read->uptime_s, expected.uptime_s);
  EXPECT_EQ(read->tables_sha256, expected.tables_sha256);
  EXPECT_EQ(read->warnings, expected.warnings);
  ASSERT_EQ(read->phases.size(), expected.phases.size());
  for (size_t i = 0; i < expected.phases.size(); ++i) {
    EXPECT_EQ(read->phases[i].name, expected.phases[i].name);
    EXPECT_EQ(read->phases[i].metrics, expected.phases[i].metrics);
  }
}

TEST(TimesReader, ReadsASampleWithoutPhases) {
  Sample sample = example_sample();
  sample.phases.clear();
  EXPECT_TRUE(read_times(record_line(sample)));
}

TEST(TimesReader, LeavesToTheGeneralReaderWhatItDoesNotKnow) {
  Sample sample = example_sample();
  sample.failure = Failure{"import", "The server ended.", ""};
  EXPECT_FALSE(read_times(record_line(sample)));
  sample = example_sample();
  sample.target = "with \"quotes\"";
  EXPECT_FALSE(read_times(record_line(sample)));
  EXPECT_FALSE(read_times(record_line(Note{})));
}

TEST(TimesReader, TakesNoLineThatIsCut) {
  const std::string line = record_line(example_sample());
  const size_t details = line.find("\"details\"");
  for (size_t cut = 0; cut < details; ++cut) {
    EXPECT_FALSE(read_times(line.substr(0, cut))) << cut;
    EXPECT_FALSE(read_times(line.substr(0, cut) + "}")) << cut;
  }
}

TEST(TimesReader, RefusesAListOfTheWrongLength) {
  std::string line = record_line(example_sample());
  line.insert(line.find("\"real_s\":[") + 10, "1,");
  EXPECT_FALSE(read_times(line));
  EXPECT_THROW(parse_record(line, Detail::kTimes), base::Error);
}

}  // namespace
}  // namespace sidegrade::store
