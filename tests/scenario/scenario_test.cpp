#include "scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/user.h"
#include "scenario/scenario_folder.h"

namespace sidegrade::scenario {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;
using workload::PhaseKind;

constexpr const char* kMinimal =
    "name: mine\n"
    "workload: {generate: {schema: tiny}}\n"
    "targets: [{name: here, path: .}]\n";

const fs::path kData = SIDEGRADE_SOURCE_DIR "/tests/data/scenario";

Scenario complete() {
  return load_scenario(kData / "complete.yaml", kData / "schemas");
}

TEST(Scenario, WhatIsLeftOutHasItsDefault) {
  const ScenarioFolder folder;
  const Scenario scenario = folder.load(kMinimal);
  EXPECT_EQ(scenario.name, "mine");
  EXPECT_EQ(scenario.description, "");
  EXPECT_EQ(scenario.text, kMinimal);
  EXPECT_EQ(scenario.path, folder.path() / "mine.yaml");
  EXPECT_EQ(scenario.postgres.bin_dir, "auto");
  EXPECT_EQ(scenario.postgres.run_as, "");
  EXPECT_EQ(scenario.workload.phases, workload::all_phases());
  EXPECT_EQ(scenario.workload.client, workload::Client::kNative);
  EXPECT_EQ(scenario.workload.on_error, workload::OnError::kStop);
  EXPECT_EQ(scenario.workload.generate->schema, "tiny");
  EXPECT_EQ(scenario.workload.generate->scale, 1);
  EXPECT_EQ(scenario.workload.generate->seed, 1U);
  EXPECT_EQ(scenario.repetitions.rounds, 3);
  EXPECT_EQ(scenario.repetitions.warmup, 1);
  EXPECT_EQ(scenario.repetitions.order, Order::kRotated);
  EXPECT_EQ(scenario.repetitions.seed, 1U);
  EXPECT_FALSE(scenario.state.drop_caches);
  EXPECT_EQ(scenario.state.settle, std::chrono::seconds(10));
}

TEST(Scenario, ThePostgresSectionIsRead) {
  const PostgresSpec spec = complete().postgres;
  EXPECT_THAT(spec.settings,
              UnorderedElementsAre(Pair("shared_buffers", "256MB"),
                                   Pair("fsync", "off"),
                                   Pair("session_preload_libraries", "")));
  EXPECT_THAT(spec.initdb_arguments,
              ElementsAre("--data-checksums", "--locale=C"));
}

TEST(Scenario, TheWorkloadSectionIsReadWithAbsolutePaths) {
  const workload::WorkloadSpec spec = complete().workload;
  EXPECT_THAT(spec.schema, ElementsAre(kData / "schema.sql"));
  EXPECT_THAT(spec.data, ElementsAre(kData / "data.sql"));
  EXPECT_FALSE(spec.generate);
  EXPECT_THAT(spec.phases,
              ElementsAre(PhaseKind::kCreateDatabase, PhaseKind::kSchema,
                          PhaseKind::kImport, PhaseKind::kCheckpoint));
  EXPECT_EQ(spec.client, workload::Client::kPsql);
  EXPECT_EQ(spec.on_error, workload::OnError::kContinue);
  EXPECT_THAT(spec.volatile_tables,
              ElementsAre("public.audit", "public.session"));
}

TEST(Scenario, TheTargetsAreReadWithTheirPlaces) {
  const Scenario scenario = complete();
  ASSERT_EQ(scenario.targets.size(), 2U);
  EXPECT_EQ(scenario.targets[0].name, "here");
  EXPECT_EQ(std::get<storage::DirectorySpec>(scenario.targets[0].place).path,
            kData / "");
  EXPECT_EQ(scenario.targets[1].name, "ext3-image");
  const auto& loop = std::get<storage::LoopSpec>(scenario.targets[1].place);
  EXPECT_EQ(loop.size_bytes, 512U << 20U);
  EXPECT_EQ(loop.filesystem, "ext3");
  EXPECT_THAT(loop.mkfs_arguments, ElementsAre("-m", "0"));
  EXPECT_EQ(loop.mount_options, "noatime,data=ordered");
  EXPECT_EQ(loop.image_directory, kData / "schemas");
  EXPECT_EQ(target_diagnostic(scenario, 1, "too small").text(),
            (kData / "complete.yaml").string() + ":23:5: too small");
}

TEST(Scenario, RepetitionsAndStateAreRead) {
  const Scenario scenario = complete();
  EXPECT_EQ(scenario.description, "Two lines\nof text.\n");
  EXPECT_EQ(scenario.repetitions.rounds, 5);
  EXPECT_EQ(scenario.repetitions.warmup, 2);
  EXPECT_EQ(scenario.repetitions.order, Order::kRandom);
  EXPECT_EQ(scenario.repetitions.seed, 42U);
  EXPECT_TRUE(scenario.state.drop_caches);
  EXPECT_EQ(scenario.state.settle, std::chrono::seconds(2));
}

TEST(Scenario, SeveralFilesKeepTheirOrder) {
  const ScenarioFolder folder;
  const Scenario scenario = folder.load(
      "name: mine\n"
      "workload: {data: [schema.sql, data.sql, schema.sql]}\n"
      "targets: [{name: here, path: .}]\n");
  EXPECT_THAT(
      scenario.workload.data,
      ElementsAre(folder.path() / "schema.sql", folder.path() / "data.sql",
                  folder.path() / "schema.sql"));
}

TEST(Scenario, AFolderOfPgDumpsDirectoryFormatIsData) {
  const ScenarioFolder folder;
  std::filesystem::create_directory(folder.path() / "dump");
  folder.write("dump/toc.dat", "PGDMP");
  const Scenario scenario = folder.load(
      "name: mine\n"
      "workload: {data: dump}\n"
      "targets: [{name: here, path: .}]\n");
  EXPECT_THAT(scenario.workload.data, ElementsAre(folder.path() / "dump"));
}

TEST(Scenario, HowScriptsAreExecutedIsRead) {
  const ScenarioFolder folder;
  const workload::WorkloadSpec spec =
      folder
          .load(
              "name: mine\n"
              "workload: {data: data.sql, pipeline: false, jobs: 4,\n"
              "           split_tables: true, create_roles: true,\n"
              "           timeout: 2h}\n"
              "targets: [{name: here, path: .}]\n")
          .workload;
  EXPECT_FALSE(spec.pipeline);
  EXPECT_EQ(spec.jobs, 4);
  EXPECT_TRUE(spec.split_tables);
  EXPECT_TRUE(spec.create_roles);
  EXPECT_EQ(spec.timeout, std::chrono::hours(2));
}

TEST(Scenario, ScriptsAreExecutedInOnePipelineAndManyTransactionsByDefault) {
  const ScenarioFolder folder;
  const workload::WorkloadSpec spec = folder.load(kMinimal).workload;
  EXPECT_TRUE(spec.pipeline);
  EXPECT_FALSE(spec.single_transaction);
  EXPECT_EQ(spec.jobs, 1);
  EXPECT_FALSE(spec.timeout);
}

TEST(Scenario, PsqlHasNoPipelineAndTakesOneTransaction) {
  const ScenarioFolder folder;
  const workload::WorkloadSpec spec =
      folder
          .load(
              "name: mine\n"
              "workload: {data: data.sql, client: psql,\n"
              "           single_transaction: true}\n"
              "targets: [{name: here, path: .}]\n")
          .workload;
  EXPECT_FALSE(spec.pipeline);
  EXPECT_TRUE(spec.single_transaction);
}

TEST(Scenario, ADumpInOneFileHasAllPhasesByDefault) {
  const ScenarioFolder folder;
  const Scenario scenario = folder.load(
      "name: mine\n"
      "workload: {data: data.sql}\n"
      "targets: [{name: here, path: .}]\n");
  EXPECT_EQ(scenario.workload.phases, workload::all_phases());
}

TEST(Scenario, ImagesLieInVarTmpByDefault) {
  const ScenarioFolder folder;
  const Scenario scenario = folder.load(
      "name: mine\n"
      "workload: {generate: {schema: tiny}}\n"
      "targets: [{name: x, loop: {size: 1.5 GB, filesystem: xfs,\n"
      "                           mkfs_args: -m crc=1}}]\n");
  const auto& loop = std::get<storage::LoopSpec>(scenario.targets[0].place);
  EXPECT_EQ(loop.image_directory, "/var/tmp");
  EXPECT_EQ(loop.size_bytes, 1500000000U);
  EXPECT_THAT(loop.mkfs_arguments, ElementsAre("-m", "crc=1"));
}

TEST(Scenario, AMissingFileIsNamed) {
  try {
    load_scenario("no-such-folder/mine.yaml", "schemas");
    FAIL();
  } catch (const ScenarioError& error) {
    EXPECT_STREQ(error.what(),
                 "no-such-folder/mine.yaml: there is no such file");
  }
}

TEST(Scenario, ADirectoryIsNoScenario) {
  const ScenarioFolder folder;
  try {
    load_scenario(folder.path(), folder.path());
    FAIL();
  } catch (const ScenarioError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("this is a directory, not a scenario file"));
  }
}

TEST(Scenario, RootChoosesTheServersUser) {
  if (!base::running_as_root()) GTEST_SKIP() << "only root may choose";
  const ScenarioFolder folder;
  const Scenario scenario =
      folder.load(std::string(kMinimal) + "postgres: {run_as: daemon}\n");
  EXPECT_EQ(scenario.postgres.run_as, "daemon");
}

TEST(Scenario, AnotherUsersServerNeedsRoot) {
  if (base::running_as_root()) GTEST_SKIP() << "root may choose anyone";
  const ScenarioFolder folder;
  EXPECT_EQ(
      folder.errors(std::string(kMinimal) + "postgres: {run_as: daemon}\n"),
      "mine.yaml:4:20: \"run_as\": only root can run a server as "
      "\"daemon\"");
}

TEST(Scenario, AllErrorsComeInTheOrderOfTheFile) {
  const ScenarioFolder folder;
  EXPECT_EQ(folder.errors("nam: mine\n"
                          "state: {settle: 5}\n"
                          "repetitions: {rounds: 0, warmup: -1}\n"),
            "mine.yaml:1:1: unknown key \"nam\" in scenario — did you mean "
            "\"name\"?\n"
            "mine.yaml:1:1: scenario lacks \"workload\"\n"
            "mine.yaml:1:1: scenario lacks \"targets\"\n"
            "mine.yaml:2:17: \"settle\": \"5\" has no unit; a duration such "
            "as 10s or 2 min is expected\n"
            "mine.yaml:3:23: \"rounds\" must be a whole number from 1 to "
            "10000, not \"0\"\n"
            "mine.yaml:3:34: \"warmup\" must be a whole number from 0 to "
            "10000, not \"-1\"");
}

}  // namespace
}  // namespace sidegrade::scenario
