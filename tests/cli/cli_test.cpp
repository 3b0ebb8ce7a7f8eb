// The program itself, as a person calls it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "support/scenario_bed.h"
#include "support/test_cluster.h"

namespace sidegrade {
namespace {

namespace fs = std::filesystem;
using test::ScenarioBed;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    bed_.dir().file("data.sql",
                    "CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n\\.\n");
    scenario_ = bed_.dir()
                    .file("scenario.yaml",
                          ScenarioBed::directory_scenario("{data: data.sql}"))
                    .string();
  }

  base::Command command(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), SIDEGRADE_BINARY);
    return {.argv = std::move(arguments),
            .working_directory = bed_.dir().path()};
  }
  /// The same as another account, for which the program is copied to where it
  /// can get at it: the checkout may lie in a private folder.
  base::Command command_as(const base::User& user,
                           std::vector<std::string> arguments) const {
    const fs::path copy = bed_.dir() / "sidegrade";
    fs::copy_file(SIDEGRADE_BINARY, copy);
    base::Command command = this->command(std::move(arguments));
    command.argv[0] = copy.string();
    command.user = user;
    return command;
  }
  base::Output call(std::vector<std::string> arguments) const {
    return base::run(command(std::move(arguments)));
  }
  /// With this test's own folders of state and cache.
  std::vector<std::string> with_folders(std::vector<std::string> arguments) {
    for (const char* folder : {"state", "cache"}) {
      arguments.push_back(std::string("--") + folder + "-dir");
      arguments.push_back((bed_.dir() / folder).string());
    }
    return arguments;
  }

  ScenarioBed bed_;
  std::string scenario_;
};

TEST_F(Cli, CheckReadsTheScriptsAhead) {
  bed_.dir().file("data.sql", "CREATE TABLE t (a int);\n\\! id\n");
  base::Output output = call(with_folders({"check", scenario_}));
  EXPECT_EQ(output.status.code, 1);
  EXPECT_THAT(output.err, HasSubstr("data.sql:2: the backslash command \\!"));
  bed_.dir().file("data.sql",
                  "CREATE TABLE t (a int);\nALTER TABLE t OWNER TO bob;\n");
  output = call(with_folders({"check", scenario_}));
  EXPECT_EQ(output.status.code, 1);
  EXPECT_THAT(output.err, HasSubstr("data.sql:2: role \"bob\""));
}

TEST_F(Cli, TheUsersOwnLibpqVariablesChangeNothing) {
  base::Command command = this->command(with_folders({"run", scenario_}));
  command.environment = {"PGPORT=1", "PGHOST=nowhere", "PGDATABASE=none",
                         "PGOPTIONS=-c default_transaction_read_only=on"};
  const base::Output output = base::run(command);
  EXPECT_EQ(output.status.code, 0) << output.err;
}

TEST_F(Cli, HelpSaysWhatWhenAndHowForEachCommand) {
  for (const char* name :
       {"check", "run", "compare", "list", "env", "restore"}) {
    const base::Output output = call({name, "--help"});
    EXPECT_EQ(output.status.code, 0) << name;
    EXPECT_THAT(output.out, HasSubstr(std::string("Example: ")));
    EXPECT_THAT(output.out, HasSubstr(std::string("sidegrade ") + name));
  }
}

TEST_F(Cli, AMistypedCommandIsAUsageErrorWithASuggestion) {
  const base::Output output = call({"comapre"});
  EXPECT_EQ(output.status.code, 2);
  EXPECT_EQ(output.err,
            "error: unknown command \"comapre\" — did you mean \"compare\"?\n");
}

TEST_F(Cli, AScenarioErrorNamesItsPlace) {
  const std::string path =
      bed_.dir().file("bad.yaml", "name: x\nworkloda: {}\n").string();
  const base::Output output = call({"check", path});
  EXPECT_EQ(output.status.code, 2);
  EXPECT_THAT(output.err,
              HasSubstr("bad.yaml:2:1: unknown key \"workloda\" in scenario "
                        "\"x\" — did you mean \"workload\"?"));
}

TEST_F(Cli, CheckPrintsThePlanAndTouchesNothing) {
  const auto entries = [&] {
    std::vector<std::string> names;
    for (const auto& one :
         fs::recursive_directory_iterator(bed_.dir().path())) {
      names.push_back(one.path());
    }
    return names;
  };
  const auto before = entries();
  const base::Output output = call(with_folders({"check", scenario_}));
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("1 target × 1 round"),
                                HasSubstr("bin/initdb --pgdata="),
                                HasSubstr("bin/postgres -D "),
                                HasSubstr("needed"), HasSubstr("order")));
  EXPECT_EQ(entries(), before);
}

TEST_F(Cli, CheckSaysWhatNeedsRootAndWhy) {
  if (!base::running_as_root())
    GTEST_SKIP() << "becomes another user: needs root";
  bed_.dir().file("scenario.yaml",
                  ScenarioBed::loop_scenario("{data: data.sql}"));
  const base::Output output = base::run(command_as(
      base::find_user("nobody").value(), with_folders({"check", scenario_})));
  EXPECT_EQ(output.status.code, 2);
  EXPECT_THAT(output.err,
              AllOf(HasSubstr("scenario.yaml:"), HasSubstr("root")));
}

TEST_F(Cli, RunKeepsResultsThatCompareAndListShow) {
  const base::Output run = call(with_folders({"run", scenario_}));
  ASSERT_EQ(run.status.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 trial measured; kept in results/"));
  EXPECT_THAT(run.err, HasSubstr("trial 1/1 · round 1 · here"));

  const base::Output compare = call({"compare"});
  EXPECT_EQ(compare.status.code, 0) << compare.err;
  EXPECT_THAT(compare.out, AllOf(HasSubstr("import"), HasSubstr("here")));
  const base::Output list = call({"list"});
  EXPECT_THAT(list.out, HasSubstr("1 trial ok"));
  for (const char* format : {"md", "csv", "json"}) {
    EXPECT_EQ(call({"compare", "--format", format}).status.code, 0) << format;
  }
  EXPECT_THAT(bed_.leftovers(), IsEmpty());
}

TEST_F(Cli, AnOrdinaryUserMeasuresADirectory) {
  if (!base::running_as_root())
    GTEST_SKIP() << "becomes another user: needs root";
  fs::permissions(bed_.dir().path(), fs::perms(0777));
  const base::Output output = base::run(
      command_as(test::server_owner(), with_folders({"run", scenario_})));
  EXPECT_EQ(output.status.code, 0) << output.err;
  const auto samples = bed_.samples();
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_FALSE(samples[0].failure);
  EXPECT_TRUE(samples[0].phases.at(1).metrics.contains("server_user_s"));
  EXPECT_THAT(bed_.leftovers(), IsEmpty());
}

TEST_F(Cli, AFailedTrialIsExitCodeOne) {
  bed_.dir().file("data.sql", "SELECT 1/0;\n");
  const base::Output output = call(with_folders({"run", scenario_}));
  EXPECT_EQ(output.status.code, 1);
  EXPECT_THAT(output.err, HasSubstr("data.sql:1: division by zero"));
  EXPECT_THAT(output.out, HasSubstr("0 trials measured, 1 failed; kept in"));
}

TEST_F(Cli, CompareReproducesTheFiguresOf2004) {
  const base::Output output =
      call({"compare", "--results",
            std::string(SIDEGRADE_SOURCE_DIR) + "/results/cetra-2004"});
  EXPECT_EQ(output.status.code, 0) << output.err;
  for (const char* figure :
       {"1.312 +0.941 +0.717", "0.508 +0.560 +1.102", "252.757 +162.861 +0.644",
        "60.467 +90.746 +1.501"}) {
    EXPECT_THAT(output.out, ContainsRegex(figure));
  }
}

TEST_F(Cli, EnvPrintsFactsAsLinesAndAsJson) {
  EXPECT_THAT(call({"env"}).out, ContainsRegex("kernel.release +[^ ]"));
  EXPECT_THAT(call({"env", "--json"}).out, HasSubstr("\"kernel.release\""));
}

/// The program in the middle of an import that lasts a minute.
class RunningCli : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    bed_.dir().file("data.sql",
                    "CREATE TABLE t (a int);\nINSERT INTO t VALUES "
                    "(1);\nSELECT pg_sleep(60);\n");
    base::Command command = this->command(with_folders({"run", scenario_}));
    command.log = bed_.dir() / "log";
    child_ = base::Child::start(command);
    for (int i = 0; i < 1000 && !importing(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ASSERT_TRUE(importing());
  }

  bool importing() const {
    return base::try_read_file(bed_.dir() / "log")
               .value_or("")
               .find("create_database") != std::string::npos;
  }

  std::optional<base::Child> child_;
};

TEST_F(RunningCli, EndsCleanlyOnInterruptWithCode130) {
  child_->kill(SIGINT);
  const auto status = child_->wait(std::chrono::seconds(30));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 130);
  EXPECT_EQ(bed_.samples().size(), 1U);
  EXPECT_THAT(bed_.leftovers(), IsEmpty());
}

TEST_F(RunningCli, RestoreRemovesWhatAKilledOneLeft) {
  const std::vector<std::string> state = {"--state-dir",
                                          (bed_.dir() / "state").string()};
  const auto restore = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), state.begin(), state.end());
    return call(std::move(arguments));
  };
  EXPECT_THAT(restore({"restore"}).out, HasSubstr("still running: left alone"));
  child_->kill(SIGKILL);
  ASSERT_TRUE(child_->wait(std::chrono::seconds(10)));
  EXPECT_THAT(restore({"restore", "--check"}).out, HasSubstr("processes "));
  EXPECT_THAT(bed_.leftovers(), Not(IsEmpty()));
  const base::Output output = restore({"restore"});
  EXPECT_EQ(output.status.code, 0) << output.err;
  EXPECT_THAT(bed_.leftovers(), IsEmpty());
  EXPECT_EQ(restore({"restore"}).out, "nothing to restore\n");
}

}  // namespace
}  // namespace sidegrade
