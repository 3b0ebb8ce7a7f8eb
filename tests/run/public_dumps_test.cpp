// Public dumps through whole runs: every trial imports and verifies the same.
#include <gmock/gmock.h>

#include "support/public_scripts.h"
#include "support/scenario_bed.h"

namespace sidegrade::bench {
namespace {

using test::Load;
using test::ScenarioBed;
using testing::IsEmpty;

class PublicDumpRuns : public testing::TestWithParam<Load> {};

TEST_P(PublicDumpRuns, CompleteAndVerify) {
  const Load& load = GetParam();
  ScenarioBed bed;
  std::vector<std::string> files;
  for (const auto& file : load.files) {
    files.push_back(test::unpack(file, bed.dir()).string());
  }
  std::string workload = "data: " + files.back();
  if (files.size() == 2) workload += ", schema: " + files.front();
  workload +=
      ", volatile_tables: [" + base::join(load.volatile_tables, ", ") + "]";
  const RunOutcome outcome =
      bed.run(ScenarioBed::directory_scenario("{" + workload + "}", 2));
  EXPECT_EQ(outcome.measured, 2);
  for (const store::Sample& sample : bed.samples()) {
    EXPECT_FALSE(sample.failure) << sample.failure->sentence;
    EXPECT_THAT(sample.tables, testing::Not(IsEmpty()));
  }
  EXPECT_THAT(bed.leftovers(), IsEmpty());
}

/// Those that load without an error and fit a scenario: a schema file and a
/// data file, or one dump.
std::vector<Load> runnable_loads() {
  std::vector<Load> loads = test::loads_of_text();
  std::erase_if(loads, [](const Load& load) {
    return load.errors > 0 || load.files.size() > 2;
  });
  return loads;
}

INSTANTIATE_TEST_SUITE_P(All, PublicDumpRuns,
                         testing::ValuesIn(runnable_loads()),
                         [](const auto& test) {
                           return test::test_name(test.param.name);
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PublicDumpRuns);

TEST(PublicScripts, AreBesideTheCheckout) {
  if (!std::filesystem::exists(test::scripts_directory())) {
    GTEST_SKIP() << test::scripts_directory() << " is not there";
  }
  EXPECT_GE(runnable_loads().size(), 15U);
}

}  // namespace
}  // namespace sidegrade::bench
