// Whole runs on a directory: real clusters, real imports, no root needed.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/user.h"
#include "postgres/installation.h"
#include "storage/target.h"
#include "support/scenario_bed.h"

namespace sidegrade::bench {
namespace {

using test::ScenarioBed;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;

constexpr const char* kSchema = "CREATE TABLE t (a int, b text);\n";
constexpr const char* kData =
    "COPY t FROM stdin;\n1\tx\n2\ty\n\\.\n"
    "CREATE INDEX t_a ON t (a);\n";

class ExecuteRun : public testing::Test {
 protected:
  void write_small_dump() {
    bed_.dir().file("schema.sql", kSchema);
    bed_.dir().file("data.sql", kData);
  }

  std::vector<std::string> phases_of(const store::Sample& sample) {
    std::vector<std::string> names;
    for (const auto& phase : sample.phases) names.push_back(phase.name);
    return names;
  }

  ScenarioBed bed_;
};

TEST_F(ExecuteRun, MeasuresEveryPhaseAndLeavesNothingBehind) {
  write_small_dump();
  const RunOutcome outcome = bed_.run(ScenarioBed::directory_scenario(
      "{schema: schema.sql, data: data.sql}", 2));
  EXPECT_EQ(outcome.measured, 2);
  EXPECT_THAT(outcome.changed, IsEmpty());
  const auto samples = bed_.samples();
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_THAT(phases_of(samples[0]),
              ElementsAre("create_database", "schema", "import", "index",
                          "analyze", "checkpoint", "drop_database"));
  const store::PhaseRecord& import = samples[0].phases[2];
  EXPECT_EQ(import.metrics.at("rows"), 2);
  EXPECT_EQ(import.metrics.at("copy_bytes"), 8);
  EXPECT_GT(import.metrics.at("real_s"), 0);
  EXPECT_GT(import.metrics.at("wal_bytes"), 0);
  EXPECT_THAT(import.metrics,
              AllOf(Contains(Key("user_s")), Contains(Key("server_user_s"))));
  ASSERT_EQ(samples[0].tables.size(), 1U);
  EXPECT_EQ(samples[0].tables[0].name, "sidegrade.public.t");
  EXPECT_EQ(samples[0].tables[0].rows, 2);
  EXPECT_EQ(samples[0].tables[0].checksum, samples[1].tables[0].checksum);
  EXPECT_THAT(bed_.leftovers(), IsEmpty());
}

TEST_F(ExecuteRun, EveryMetricIsThereOrAbsentWithAReason) {
  write_small_dump();
  bed_.run(
      ScenarioBed::directory_scenario("{schema: schema.sql, data: data.sql}"));
  const auto sample = bed_.samples().at(0);
  for (const store::PhaseRecord& phase : sample.phases) {
    for (const char* metric :
         {"device_reads", "device_written_bytes", "device_flushes",
          "server_major_faults", "machine_context_switches"}) {
      const bool known = phase.metrics.contains(metric);
      EXPECT_NE(known, phase.absent.contains(metric))
          << metric << " of " << phase.name;
    }
    for (const auto& [metric, reason] : phase.absent) {
      EXPECT_NE(reason, "") << metric;
    }
  }
}

TEST_F(ExecuteRun, SplitsASingleDumpIntoSchemaImportAndIndex) {
  bed_.dir().file("dump.sql", std::string(kSchema) + kData);
  bed_.run(ScenarioBed::directory_scenario("{data: dump.sql}"));
  const auto sample = bed_.samples().at(0);
  EXPECT_FALSE(sample.failure) << sample.failure->sentence;
  EXPECT_THAT(phases_of(sample),
              ElementsAre("create_database", "schema", "import", "index",
                          "analyze", "checkpoint", "drop_database"));
  EXPECT_EQ(sample.phases[1].metrics.at("statements"), 1);
  EXPECT_EQ(sample.phases[2].metrics.at("statements"), 1);
  EXPECT_EQ(sample.phases[3].metrics.at("statements"), 1);
}

TEST_F(ExecuteRun, APhaseThatIsLeftOutRunsWithinImport) {
  bed_.dir().file("dump.sql", std::string(kSchema) + kData);
  bed_.run(ScenarioBed::directory_scenario(
      "{data: dump.sql, phases: [create_database, import]}"));
  const auto sample = bed_.samples().at(0);
  ASSERT_FALSE(sample.failure) << sample.failure->sentence;
  EXPECT_THAT(phases_of(sample), ElementsAre("create_database", "import"));
  EXPECT_EQ(sample.phases[1].metrics.at("statements"), 3);
}

TEST_F(ExecuteRun, ImportsTheSameWithPsql) {
  write_small_dump();
  bed_.run(ScenarioBed::directory_scenario(
      "{schema: schema.sql, data: data.sql, client: psql}"));
  bed_.run(ScenarioBed::directory_scenario(
      "{schema: schema.sql, data: data.sql, client: native}"));
  const auto samples = bed_.samples();
  ASSERT_EQ(samples.size(), 2U);
  ASSERT_FALSE(samples[0].failure) << samples[0].failure->sentence;
  EXPECT_EQ(samples[0].tables[0].checksum, samples[1].tables[0].checksum);
  const store::PhaseRecord& import = samples[0].phases[2];
  EXPECT_THAT(import.absent, Contains(Key("rows")));
  EXPECT_GT(import.metrics.at("user_s") + import.metrics.at("sys_s"), 0);
}

class ShippedSchemas : public ExecuteRun,
                       public testing::WithParamInterface<const char*> {};

TEST_P(ShippedSchemas, ImportAndHoldTheRowsThatWereGenerated) {
  const RunOutcome outcome = bed_.run(ScenarioBed::directory_scenario(
      std::string("{generate: {schema: ") + GetParam() + ", scale: 0.02}}", 2));
  EXPECT_EQ(outcome.measured, 2);
  const auto sample = bed_.samples().at(0);
  ASSERT_FALSE(sample.failure) << sample.failure->sentence;
  EXPECT_THAT(phases_of(sample), Contains("index"));
  EXPECT_GT(sample.phases[2].metrics.at("rows"), 0);
  EXPECT_THAT(bed_.leftovers(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, ShippedSchemas,
                         testing::Values("shop", "pgbench"));

TEST_F(ExecuteRun, AnSqlErrorIsAFailureThatNamesItsLine) {
  bed_.dir().file("data.sql", "SELECT 1;\nCOPY t FROM stdin;\n1\n\\.\n");
  const RunOutcome outcome =
      bed_.run(ScenarioBed::directory_scenario("{data: data.sql}"));
  EXPECT_EQ(outcome.failed, 1);
  const auto sample = bed_.samples().at(0);
  ASSERT_TRUE(sample.failure);
  EXPECT_EQ(sample.failure->step, "import");
  EXPECT_THAT(sample.failure->sentence,
              HasSubstr("data.sql:2: relation \"t\" does not exist "
                        "(SQLSTATE 42P01)"));
  EXPECT_THAT(bed_.leftovers(), IsEmpty());
}

TEST_F(ExecuteRun, GoesOnAfterSqlErrorsIfAskedAndCountsThem) {
  bed_.dir().file("data.sql",
                  "SELECT 1/0;\nCREATE TABLE t (a int);\n"
                  "INSERT INTO t VALUES (1);\n");
  bed_.run(
      ScenarioBed::directory_scenario("{data: data.sql, on_error: continue}"));
  const auto sample = bed_.samples().at(0);
  ASSERT_FALSE(sample.failure) << sample.failure->sentence;
  EXPECT_EQ(sample.phases[1].metrics.at("errors"), 1);
  EXPECT_THAT(sample.warnings, Contains(HasSubstr("division by zero")));
}

TEST_F(ExecuteRun, AnImportThatDiffersFromTheFirstIsAFailure) {
  bed_.dir().file("data.sql",
                  "CREATE TABLE t (a float8);\n"
                  "INSERT INTO t VALUES (random());\n");
  const RunOutcome outcome =
      bed_.run(ScenarioBed::directory_scenario("{data: data.sql}", 2));
  EXPECT_EQ(outcome.failed, 1);
  const auto samples = bed_.samples();
  EXPECT_FALSE(samples[0].failure);
  ASSERT_TRUE(samples[1].failure);
  EXPECT_EQ(samples[1].failure->step, "verify");
  EXPECT_THAT(samples[1].failure->sentence,
              HasSubstr("sidegrade.public.t are not those of an earlier"));

  // The same holds against an earlier run, unless the table is said to vary.
  EXPECT_EQ(
      bed_.run(ScenarioBed::directory_scenario("{data: data.sql}", 2)).failed,
      2);
  EXPECT_EQ(bed_.run(ScenarioBed::directory_scenario(
                         "{data: data.sql, volatile_tables: [t]}", 2))
                .failed,
            0);
}

TEST_F(ExecuteRun, ADataFileThatChangesBetweenTrialsIsAFailure) {
  write_small_dump();
  bed_.progress().at_event = [this](const std::string& event) {
    if (event == "end 1") {
      bed_.dir().file("data.sql",
                      "COPY t FROM stdin;\n1\tz\n2\ty\n\\.\n"
                      "CREATE INDEX t_a ON t (a);\n");
    }
  };
  const RunOutcome outcome = bed_.run(ScenarioBed::directory_scenario(
      "{schema: schema.sql, data: data.sql}", 2));
  EXPECT_EQ(outcome.measured, 1);
  const auto samples = bed_.samples();
  ASSERT_TRUE(samples[1].failure);
  EXPECT_THAT(samples[1].failure->sentence,
              AllOf(HasSubstr("data.sql"), HasSubstr("no longer the file")));
}

TEST_F(ExecuteRun, AServerKilledInTheImportIsAFailureAndTheNextTrialRuns) {
  bed_.dir().file(
      "data.sql",
      "CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n\\.\n"
      "COPY (SELECT 1) TO PROGRAM 'kill -9 $(head -1 postmaster.pid)';\n"
      "SELECT pg_sleep(30);\n");
  const auto shared_memory_before = ScenarioBed::shared_memory();
  const RunOutcome outcome =
      bed_.run(ScenarioBed::directory_scenario("{data: data.sql}", 2));
  EXPECT_EQ(outcome.failed, 2);
  if (base::running_as_root()) {
    EXPECT_EQ(ScenarioBed::shared_memory(), shared_memory_before);
  }
  for (const store::Sample& sample : bed_.samples()) {
    ASSERT_TRUE(sample.failure);
    EXPECT_EQ(sample.failure->step, "import");
    EXPECT_THAT(sample.failure->sentence, HasSubstr("data.sql:"));
  }
  EXPECT_THAT(bed_.leftovers(), IsEmpty());
}

TEST_F(ExecuteRun, ABackendThatCrashesNamesTheServersLog) {
  bed_.dir().file("data.sql",
                  "CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n\\.\n"
                  "COPY (SELECT 1) TO PROGRAM 'kill -9 $PPID';\n");
  bed_.run(ScenarioBed::directory_scenario("{data: data.sql}"));
  const auto sample = bed_.samples().at(0);
  ASSERT_TRUE(sample.failure);
  EXPECT_THAT(sample.failure->hint, HasSubstr("terminated by signal 9"));
}

TEST_F(ExecuteRun, AnInitdbThatFailsIsAFailureWithItsWords) {
  write_small_dump();
  std::filesystem::create_directory(bed_.dir() / "bin");
  const auto real = postgres::find_installation("auto").bin_directory;
  for (const char* name : {"postgres", "psql"}) {
    std::filesystem::create_symlink(real / name, bed_.dir() / "bin" / name);
  }
  bed_.dir().file("bin/initdb",
                  "#!/bin/sh\necho initdb: no luck >&2\nexit 1\n");
  std::filesystem::permissions(bed_.dir() / "bin/initdb",
                               std::filesystem::perms(0755));
  std::string yaml =
      ScenarioBed::directory_scenario("{schema: schema.sql, data: data.sql}");
  yaml.replace(yaml.find("postgres: {"), 11, "postgres: {bin_dir: bin, ");
  bed_.run(yaml);
  const auto sample = bed_.samples().at(0);
  ASSERT_TRUE(sample.failure);
  EXPECT_EQ(sample.failure->step, "initdb");
  EXPECT_THAT(sample.failure->sentence, HasSubstr("initdb: no luck"));
  EXPECT_THAT(bed_.leftovers(), IsEmpty());

  std::filesystem::remove(bed_.dir() / "bin/initdb");
  EXPECT_THROW(bed_.run(yaml), base::Error) << "initdb is missing";
}

TEST_F(ExecuteRun, AServerThatDoesNotStartSaysWhy) {
  write_small_dump();
  std::string yaml =
      ScenarioBed::directory_scenario("{schema: schema.sql, data: data.sql}");
  yaml.replace(yaml.find("settings: {"), 11, "settings: {no_such_setting: 1, ");
  bed_.run(yaml);
  const auto sample = bed_.samples().at(0);
  ASSERT_TRUE(sample.failure);
  EXPECT_EQ(sample.failure->step, "start");
  EXPECT_THAT(sample.failure->sentence, HasSubstr("no_such_setting"));
}

TEST_F(ExecuteRun, AResultsFolderThatCantBeWrittenIsFoundBeforeMeasuring) {
  write_small_dump();
  bed_.dir().file("results", "a file in the way");
  EXPECT_THROW(bed_.run(ScenarioBed::directory_scenario(
                   "{schema: schema.sql, data: data.sql}")),
               base::Error);
  EXPECT_THAT(bed_.progress().events, testing::Not(Contains("trial 1")));
}

TEST_F(ExecuteRun, ATargetThatAnotherRunUsesIsRefused) {
  write_small_dump();
  const std::string yaml =
      ScenarioBed::directory_scenario("{schema: schema.sql, data: data.sql}");
  const auto lock = base::FileLock::try_acquire(
      storage::lock_path(bed_.load(yaml).targets.at(0)));
  try {
    bed_.run(yaml);
    FAIL() << "two runs used one target";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("another run uses target here"));
  }
}

/// Runs in a child process that gets SIGINT when `event` comes, and returns its
/// exit code: 130 if the run said that it was interrupted.
int interrupted_run(ScenarioBed& bed, const std::string& yaml,
                    const std::string& event) {
  const pid_t child = fork();
  if (child == 0) {
    const base::Interrupt interrupt = base::Interrupt::on_signals();
    bed.progress().at_event = [&](const std::string& one) {
      if (one == event) {
        std::thread([] {
          std::this_thread::sleep_for(std::chrono::milliseconds(300));
          kill(getpid(), SIGINT);
        }).detach();
      }
    };
    const RunOutcome outcome = bed.run(yaml, interrupt);
    _exit(outcome.interrupted ? 130 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(ExecuteRun, AnInterruptionEndsTheTrialAndKeepsWhatWasMeasured) {
  bed_.dir().file("data.sql",
                  "CREATE TABLE t (a int);\nINSERT INTO t VALUES "
                  "(1);\nSELECT pg_sleep(60);\n");
  EXPECT_EQ(interrupted_run(
                bed_, ScenarioBed::directory_scenario("{data: data.sql}", 3),
                "step import"),
            130);
  const auto samples = bed_.samples();
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].failure.value().sentence, "interrupted");
  EXPECT_EQ(samples[0].failure->step, "import");
  EXPECT_THAT(phases_of(samples[0]), Contains("create_database"));
  EXPECT_THAT(bed_.leftovers(), IsEmpty());
}

}  // namespace
}  // namespace sidegrade::bench
