// Public dumps through whole runs: every trial imports and verifies the same.
#include <gmock/gmock.h>

#include "support/public_scripts.h"
#include "support/scenario_bed.h"
#include "support/test_cluster.h"

namespace sidegrade::bench {
namespace {

using test::Load;
using test::ScenarioBed;
using testing::ElementsAre;
using testing::IsEmpty;

/// The file itself, or FILE.gz where only that is there.
std::string as_shipped(const std::filesystem::path& file) {
  return std::filesystem::exists(file) ? file.string() : file.string() + ".gz";
}

/// One of the dumps commits 15,607 times.
std::string without_fsync(std::string scenario) {
  const std::string settings = "settings: {";
  return scenario.insert(scenario.find(settings) + settings.size(),
                         "fsync: off, ");
}

class PublicDumpRuns : public testing::TestWithParam<Load> {};

TEST_P(PublicDumpRuns, CompleteAndVerify) {
  const Load& load = GetParam();
  ScenarioBed bed;
  std::vector<std::string> files;
  for (const auto& file : load.files) files.push_back(as_shipped(file));
  std::string workload =
      "volatile_tables: [" + base::join(load.volatile_tables, ", ") + "]";
  if (files.size() == 2) {
    workload += ", schema: " + files.front();
    files.erase(files.begin());
  }
  workload += ", data: [" + base::join(files, ", ") + "]";
  const RunOutcome outcome = bed.run(
      without_fsync(ScenarioBed::directory_scenario("{" + workload + "}", 2)));
  EXPECT_EQ(outcome.measured, 2);
  for (const store::Sample& sample : bed.samples()) {
    EXPECT_FALSE(sample.failure) << sample.failure->sentence;
    EXPECT_THAT(sample.tables, testing::Not(IsEmpty()));
  }
  EXPECT_THAT(bed.leftovers(), IsEmpty());
}

/// Those that load without an error.
std::vector<Load> runnable_loads() {
  std::vector<Load> loads = test::loads_of_text();
  std::erase_if(loads, [](const Load& load) { return load.errors > 0; });
  return loads;
}

INSTANTIATE_TEST_SUITE_P(All, PublicDumpRuns,
                         testing::ValuesIn(runnable_loads()),
                         [](const auto& test) {
                           return test::test_name(test.param.name);
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PublicDumpRuns);

/// An input that is no single plain file, with three sections in it.
struct Form {
  friend void PrintTo(const Form& form, std::ostream* out) {
    *out << form.name;
  }

  std::string name;
  std::vector<std::string> files;  ///< below dumps/
  int64_t rows = 0;
};

std::vector<Form> forms() {
  const std::string made = "50-made-pg_dump15/";
  return {{"ThreeFiles",
           {made + "04-pagila-pre-data.sql", made + "05-pagila-data.sql",
            made + "06-pagila-post-data.sql"},
           46273},
          {"ACustomArchive", {made + "20-chinook.custom"}, 15607},
          {"ADirectoryArchive", {made + "21-chinook.dir"}, 15607},
          {"ACompressedScript", {made + "24-odd.sql.gz"}, 223},
          {"ALargerCompressedScript", {"13-usda-r18/usda.sql.gz"}, 368416}};
}

int64_t rows_of(const store::Sample& sample) {
  int64_t rows = 0;
  for (const store::TableCheck& table : sample.tables) rows += table.rows;
  return rows;
}

std::vector<std::string> phases_of(const store::Sample& sample) {
  std::vector<std::string> names;
  for (const store::PhaseRecord& phase : sample.phases) {
    names.push_back(phase.name);
  }
  return names;
}

void expect_all_phases(const store::Sample& sample, int64_t rows) {
  ASSERT_FALSE(sample.failure) << sample.failure->sentence;
  EXPECT_THAT(phases_of(sample),
              ElementsAre("create_database", "schema", "import", "index",
                          "analyze", "checkpoint", "drop_database"));
  EXPECT_EQ(rows_of(sample), rows);
}

class InputForms : public testing::TestWithParam<Form> {};

TEST_P(InputForms, AreImportedInThreePhases) {
  const auto dumps = test::scripts_directory() / "dumps";
  if (!std::filesystem::exists(dumps)) {
    GTEST_SKIP() << dumps << " is not there";
  }
  std::vector<std::string> files;
  for (const std::string& file : GetParam().files) {
    files.push_back((dumps / file).string());
  }
  ScenarioBed bed;
  bed.run(ScenarioBed::directory_scenario("{data: [" + base::join(files, ", ") +
                                          "]}"));
  ASSERT_THAT(bed.samples(), testing::SizeIs(1));
  expect_all_phases(bed.samples().front(), GetParam().rows);
  EXPECT_THAT(bed.leftovers(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Of, InputForms, testing::ValuesIn(forms()),
                         [](const auto& test) { return test.param.name; });

TEST(OtherInputForms, ATarArchiveIsImportedInThreePhasesToo) {
  test::TestCluster cluster;
  cluster.execute("CREATE TABLE t (a int PRIMARY KEY)");
  cluster.execute("INSERT INTO t SELECT generate_series(1, 1000)");
  ScenarioBed bed;
  const std::string archive = bed.dir() / "dump.tar";
  const postgres::Endpoint& endpoint = cluster.endpoint();
  base::run_checked(
      {.argv = {cluster.spec().installation.program("pg_dump").string(),
                "--format=tar", "--file=" + archive,
                "--host=" + endpoint.socket_directory.string(),
                "--username=" + endpoint.user, "postgres"}});
  bed.run(ScenarioBed::directory_scenario("{data: " + archive + "}"));
  ASSERT_THAT(bed.samples(), testing::SizeIs(1));
  expect_all_phases(bed.samples().front(), 1000);
}

TEST(OtherInputForms, PsqlExecutesTheSectionsOfAnArchiveAsPhases) {
  const auto archive =
      test::scripts_directory() / "dumps/50-made-pg_dump15/20-chinook.custom";
  if (!std::filesystem::exists(archive)) {
    GTEST_SKIP() << archive << " is not there";
  }
  ScenarioBed bed;
  bed.run(ScenarioBed::directory_scenario(
      "{client: psql, data: " + archive.string() + "}"));
  ASSERT_THAT(bed.samples(), testing::SizeIs(1));
  expect_all_phases(bed.samples().front(), 15607);
}

TEST(PublicScripts, AreBesideTheCheckout) {
  if (!std::filesystem::exists(test::scripts_directory())) {
    GTEST_SKIP() << test::scripts_directory() << " is not there";
  }
  EXPECT_GE(runnable_loads().size(), 15U);
}

}  // namespace
}  // namespace sidegrade::bench
