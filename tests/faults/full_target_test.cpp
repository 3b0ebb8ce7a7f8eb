// A target that runs full: the trial is a failure that says so, the next trial
// runs, and nothing is left behind.
#include <fcntl.h>
#include <gmock/gmock.h>

#include <fstream>

#include "base/user.h"
#include "support/scenario_bed.h"

namespace sidegrade::bench {
namespace {

using test::ScenarioBed;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kFillTable =
    "CREATE TABLE big AS SELECT i, repeat(md5(i::text), 30) FROM "
    "generate_series(1, 1000000) i;\n";

class FullTarget : public testing::Test {
 protected:
  void SetUp() override {
    if (!base::running_as_root()) {
      GTEST_SKIP() << "loop devices and mounts need root";
    }
  }

  void expect_failures_in(const std::string& step, const RunOutcome& outcome) {
    EXPECT_EQ(outcome.failed, 2);
    const auto samples = bed_.samples();
    ASSERT_EQ(samples.size(), 2U);
    for (const store::Sample& sample : samples) {
      ASSERT_TRUE(sample.failure);
      EXPECT_EQ(sample.failure->step, step);
      EXPECT_THAT(sample.failure->sentence + sample.failure->hint,
                  HasSubstr("No space left on device"));
    }
    EXPECT_THAT(bed_.leftovers(), IsEmpty());
  }

  ScenarioBed bed_;
};

TEST_F(FullTarget, InTheSchema) {
  bed_.dir().file("schema.sql", kFillTable);
  bed_.dir().file("data.sql", "INSERT INTO big VALUES (1, 'x');\n");
  expect_failures_in("schema", bed_.run(ScenarioBed::loop_scenario(
                                   "{schema: schema.sql, data: data.sql}", 2)));
}

TEST_F(FullTarget, InTheImport) {
  bed_.dir().file("schema.sql", "CREATE TABLE big (i int, t text);\n");
  bed_.dir().file("data.sql",
                  "INSERT INTO big SELECT i, repeat(md5(i::text), 30) FROM "
                  "generate_series(1, 1000000) i;\n");
  expect_failures_in("import", bed_.run(ScenarioBed::loop_scenario(
                                   "{schema: schema.sql, data: data.sql}", 2)));
}

/// Writes to the mounted target of `bed` until nothing more goes in.
void fill_target(const ScenarioBed& bed) {
  for (const auto& entry :
       std::filesystem::directory_iterator(bed.dir() / "run")) {
    const auto folder = entry.path() / "data";
    if (!std::filesystem::exists(folder)) continue;
    for (const size_t piece : {size_t{1} << 20, size_t{4096}, size_t{1}}) {
      std::ofstream out(folder / ("fill" + std::to_string(piece)),
                        std::ios::binary);
      while (out.write(std::string(piece, 'x').data(),
                       static_cast<std::streamsize>(piece)) &&
             out.flush()) {
      }
    }
  }
}

TEST_F(FullTarget, InTheCheckpoint) {
  bed_.dir().file("data.sql",
                  "CREATE TABLE t (i int);\nINSERT INTO t SELECT "
                  "generate_series(1, 1000);\n");
  bed_.progress().at_event = [this](const std::string& event) {
    if (event == "step checkpoint") fill_target(bed_);
  };
  expect_failures_in("checkpoint", bed_.run(ScenarioBed::loop_scenario(
                                       "{data: data.sql}", 2)));
}

TEST_F(FullTarget, ThatIsTooSmallForTheDataIsRefusedBeforeAnythingIsTouched) {
  std::string rows = "CREATE TABLE t (a text);\nCOPY t FROM stdin;\n";
  rows += std::string(60'000'000, 'x') + "\n\\.\n";
  bed_.dir().file("data.sql", rows);
  try {
    bed_.run(ScenarioBed::loop_scenario("{data: data.sql}"));
    FAIL() << "a target that is too small was taken";
  } catch (const scenario::ScenarioError& error) {
    EXPECT_THAT(error.what(), HasSubstr("scenario.yaml:5:"));
    EXPECT_THAT(error.what(), HasSubstr("are needed for 60.0 MB of SQL"));
  }
  EXPECT_THAT(bed_.progress().events, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(bed_.paths().results));
}

}  // namespace
}  // namespace sidegrade::bench
