#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/scenario_folder.h"

namespace sidegrade::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> causes(const Scenario& scenario) {
  std::vector<std::string> found;
  for (const base::Warning& warning : warnings(scenario)) {
    EXPECT_NE(warning.next_step, "");
    found.push_back(warning.cause);
  }
  return found;
}

Scenario with_setting(const std::string& name, const std::string& value) {
  Scenario scenario;
  scenario.postgres.settings[name] = value;
  return scenario;
}

TEST(ScenarioWarnings, APlainScenarioHasNone) {
  EXPECT_THAT(causes(Scenario()), IsEmpty());
}

TEST(ScenarioWarnings, DurabilityGivenUpIsSaid) {
  EXPECT_THAT(causes(with_setting("fsync", "off")),
              ElementsAre("\"fsync\" is off"));
  EXPECT_THAT(causes(with_setting("full_page_writes", "F")),
              ElementsAre("\"full_page_writes\" is off"));
  EXPECT_THAT(causes(with_setting("synchronous_commit", "0")),
              ElementsAre("\"synchronous_commit\" is off"));
}

TEST(ScenarioWarnings, DurabilityKeptIsNot) {
  EXPECT_THAT(causes(with_setting("fsync", "on")), IsEmpty());
  EXPECT_THAT(causes(with_setting("synchronous_commit", "local")), IsEmpty());
  EXPECT_THAT(causes(with_setting("jit", "off")), IsEmpty());
}

TEST(ScenarioWarnings, AMountWithoutBarriersIsSaid) {
  Scenario scenario;
  storage::LoopSpec loop;
  loop.mount_options = "noatime,barrier=0";
  scenario.targets.push_back({"ext3", loop});
  EXPECT_THAT(causes(scenario),
              ElementsAre("target \"ext3\" is mounted with barrier=0"));
}

TEST(ScenarioWarnings, DataOnAMeasuredFileSystemIsSaid) {
  const ScenarioFolder folder;
  const Scenario scenario = folder.load(
      "name: mine\n"
      "workload: {schema: schema.sql, data: data.sql}\n"
      "targets:\n"
      "  - {name: here, path: schemas}\n"
      "  - {name: proc, path: /proc}\n");
  EXPECT_THAT(
      causes(scenario),
      ElementsAre("the schema file " + (folder.path() / "schema.sql").string() +
                      " lies on a measured file system (target here)",
                  "the data file " + (folder.path() / "data.sql").string() +
                      " lies on a measured file system (target here)"));
}

TEST(ScenarioWarnings, DataBesideALoopImageIsSaid) {
  const ScenarioFolder folder;
  Scenario scenario;
  storage::LoopSpec loop;
  loop.image_directory = folder.path();
  scenario.targets.push_back({"xfs", loop});
  scenario.workload.data = {folder.path() / "data.sql"};
  EXPECT_THAT(causes(scenario), ElementsAre(HasSubstr("(target xfs)")));
}

TEST(ScenarioWarnings, ACompressedFileIsReadInNoTrial) {
  const ScenarioFolder folder;
  folder.write("packed.sql", "\x1f\x8b");
  Scenario scenario;
  storage::LoopSpec loop;
  loop.image_directory = folder.path();
  scenario.targets.push_back({"xfs", loop});
  scenario.workload.data = {folder.path() / "packed.sql"};
  EXPECT_THAT(causes(scenario), IsEmpty());
}

TEST(ScenarioWarnings, FewRoundsAreSaid) {
  Scenario scenario;
  scenario.repetitions.rounds = 2;
  EXPECT_THAT(causes(scenario),
              ElementsAre("2 rounds can't tell a change from chance: a spread "
                          "needs at least 3"));
}

}  // namespace
}  // namespace sidegrade::scenario
