#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "scenario/scenario_folder.h"

namespace sidegrade::scenario {
namespace {

struct Case {
  std::string name;  ///< a sentence, for the test's name
  std::string text;
  std::string errors;  ///< all of them, in order
};

/// For messages and the names of the tests.
void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }

/// Lines 1 to 3 are good; `rest` begins in line 4.
std::string with(const std::string& rest) {
  return "name: mine\n"
         "workload: {generate: {schema: tiny}}\n"
         "targets: [{name: here, path: .}]\n" +
         rest;
}

/// The section `workload` begins in line 3.
std::string with_workload(const std::string& section) {
  return "name: mine\n"
         "targets: [{name: here, path: .}]\n" +
         section;
}

/// Keys of a workload with data, from line 5 on.
std::string with_execution(const std::string& keys) {
  return with_workload("workload:\n  data: data.sql\n  " + keys + "\n");
}

/// The section `targets` begins in line 3.
std::string with_targets(const std::string& section) {
  return "name: mine\n"
         "workload: {generate: {schema: tiny}}\n" +
         section;
}

std::vector<Case> syntax_cases() {
  return {
      {"AnEmptyFile", "", "mine.yaml: the file is empty"},
      {"AFileOfComments", "# nothing\n", "mine.yaml: the file is empty"},
      {"AListAtTheTop", "- a\n- b\n",
       "mine.yaml:1:1: scenario must be a map, not a list"},
      {"AWordAtTheTop", "hello\n",
       "mine.yaml:1:1: scenario must be a map, not \"hello\""},
      {"BrokenSyntax", "name: a: b\n",
       "mine.yaml:1:8: this is not valid YAML: illegal map value"},
      {"ATab", "name: mine\nworkload:\n\tdata: x.sql\n",
       "mine.yaml:3:6: a tab in the indentation; YAML is indented with spaces"},
      {"AnAlias", "name: &n mine\ndescription: *n\n",
       "mine.yaml:2:14: aliases (*name) can't be used here; write the value "
       "out"},
      {"AMergeKey", "a: &a {b: c}\nd: {<<: *a}\n",
       "mine.yaml:2:9: aliases (*name) can't be used here; write the value "
       "out"},
      {"ATag", "name: !include x\n",
       "mine.yaml:1:7: tags (!name) can't be used here; write a plain value"},
      {"ASecondDocument", "name: a\n---\nname: b\n",
       "mine.yaml:3:1: a second document begins here; the file must be one"},
      {"TextBehindTheEnd", "{name: mine}\n]\n",
       "mine.yaml:2:1: this is not valid YAML: illegal flow end"},
      {"AnEmptyItem", with_targets("targets:\n  -\n"),
       "mine.yaml:4:3: target has no value"},
      {"AKeyThatIsAList", "[a, b]: c\n", "mine.yaml:1:1: a key must be a word"},
  };
}

std::vector<Case> general_cases() {
  return {
      {"AMisspeltSection", with("repetitons: {rounds: 4}\n"),
       "mine.yaml:4:1: unknown key \"repetitons\" in scenario \"mine\" — did "
       "you mean \"repetitions\"?"},
      {"ARepeatedSection", with("state: {}\nstate: {}\n"),
       "mine.yaml:5:1: key \"state\" is there twice in scenario \"mine\""},
      {"ASectionWithoutValue", with("state:\n"),
       "mine.yaml:4:1: \"state\" has no value"},
      {"AnEmptyName",
       "name: ''\nworkload: {generate: {schema: tiny}}\n"
       "targets: [{name: here, path: .}]\n",
       "mine.yaml:1:7: \"name\" is empty"},
      {"ANameOfTwoLines",
       "name: \"a\\nb\"\nworkload: {generate: {schema: tiny}}\n"
       "targets: [{name: here, path: .}]\n",
       "mine.yaml:1:7: \"name\" must be one line"},
      {"RoundsThatAreNoNumber", with("repetitions: {rounds: many}\n"),
       "mine.yaml:4:23: \"rounds\" must be a whole number from 1 to 10000, "
       "not \"many\""},
      {"RoundsThatAreAFraction", with("repetitions: {rounds: 2.5}\n"),
       "mine.yaml:4:23: \"rounds\" must be a whole number from 1 to 10000, "
       "not \"2.5\""},
      {"RoundsThatAreAList", with("repetitions: {rounds: [3]}\n"),
       "mine.yaml:4:23: \"rounds\" must be a whole number from 1 to 10000, "
       "not a list"},
      {"AMisspeltOrder", with("repetitions: {order: rotate}\n"),
       "mine.yaml:4:22: unknown order \"rotate\" — did you mean \"rotated\"?"},
      {"AnUnknownOrder", with("repetitions: {order: zigzag}\n"),
       "mine.yaml:4:22: unknown order \"zigzag\"; there is rotated, random, "
       "fixed"},
      {"ANegativeSeed", with("repetitions: {seed: -1}\n"),
       "mine.yaml:4:21: \"seed\" must be a whole number from 0 to "
       "9223372036854775807, not \"-1\""},
      {"AFlagThatIsNone", with("state: {drop_caches: yes}\n"),
       "mine.yaml:4:22: \"drop_caches\" must be true or false, not \"yes\""},
      {"AWrongTimeUnit", with("state: {settle: 10 weeks}\n"),
       "mine.yaml:4:17: \"settle\": \"10 weeks\" has the unknown unit "
       "\"weeks\"; a duration such as 10s or 2 min is expected"},
      {"ANegativeTime", with("state: {settle: -1s}\n"),
       "mine.yaml:4:17: \"settle\": \"-1s\" is negative"},
      {"AVeryLongSettle", with("state: {settle: 2h}\n"),
       "mine.yaml:4:17: \"settle\" must be one hour at most"},
  };
}

std::vector<Case> postgres_cases() {
  return {
      {"AReservedSetting", with("postgres: {settings: {Port: 5433}}\n"),
       "mine.yaml:4:23: setting \"port\" can't be chosen: the server listens "
       "on a private Unix socket only"},
      {"AnotherDataDirectory",
       with("postgres: {settings: {data_directory: /x}}\n"),
       "mine.yaml:4:23: setting \"data_directory\" can't be chosen: all of the "
       "cluster must lie on the target"},
      {"ASettingTwiceInOtherLetters",
       with("postgres: {settings: {jit: on, JIT: off}}\n"),
       "mine.yaml:4:32: setting \"jit\" is there twice"},
      {"ASettingThatIsNoName", with("postgres: {settings: {a b: 1}}\n"),
       "mine.yaml:4:23: \"a b\" is not the name of a setting"},
      {"ASettingThatIsAList", with("postgres: {settings: {jit: [on]}}\n"),
       "mine.yaml:4:28: \"jit\" must be text, not a list"},
      {"ASettingWithoutValue", with("postgres: {settings: {jit: }}\n"),
       "mine.yaml:4:23: \"jit\" has no value"},
      {"ASettingOfTwoLines", with("postgres: {settings: {jit: \"a\\nb\"}}\n"),
       "mine.yaml:4:28: \"jit\" must be one line"},
      {"SettingsThatAreAList", with("postgres: {settings: [jit]}\n"),
       "mine.yaml:4:22: \"settings\" must be a map, not a list"},
      {"AWalDirectoryElsewhere",
       with("postgres: {initdb_args: --waldir=/fast}\n"),
       "mine.yaml:4:25: initdb's \"--waldir=/fast\" can't be chosen: all of "
       "the cluster must lie on the target"},
      {"AnotherSuperuser", with("postgres: {initdb_args: [-U, joe]}\n"),
       "mine.yaml:4:25: initdb's \"-U\" can't be chosen: the tool connects as "
       "postgres, by trust"},
      {"AnUnknownUser", with("postgres: {run_as: nobody-of-that-name}\n"),
       "mine.yaml:4:20: \"run_as\": there is no user \"nobody-of-that-name\""},
      {"RootAsTheServersUser", with("postgres: {run_as: root}\n"),
       "mine.yaml:4:20: \"run_as\" can't be root: initdb and the server "
       "refuse it"},
      {"AMissingBinDirectory", with("postgres: {bin_dir: bin}\n"),
       "mine.yaml:4:21: \"bin_dir\": bin does not exist"},
      {"ABinDirectoryWithoutPrograms",
       with("postgres: {bin_dir: schemas/tiny}\n"),
       "mine.yaml:4:21: \"bin_dir\": there is no initdb in schemas/tiny"},
  };
}

std::vector<Case> workload_cases() {
  return {
      {"NothingToImport", with_workload("workload: {client: psql}\n"),
       "mine.yaml:3:11: \"workload\" lacks \"data\" (an SQL file) or "
       "\"generate\""},
      {"AWorkloadThatIsAWord", with_workload("workload: shop\n"),
       "mine.yaml:3:11: \"workload\" must be a map, not \"shop\""},
      {"AMissingDataFile", with_workload("workload: {data: dump.sql}\n"),
       "mine.yaml:3:18: \"data\": there is no file dump.sql"},
      {"ADirectoryThatIsNoArchive",
       with_workload("workload: {data: schemas}\n"),
       "mine.yaml:3:18: \"data\": there is no toc.dat, as in pg_dump's "
       "directory format, in schemas"},
      {"AMissingFileOfSeveral",
       with_workload("workload: {data: [data.sql, dump.sql]}\n"),
       "mine.yaml:3:29: \"data\": there is no file dump.sql"},
      {"AnEmptyListOfFiles", with_workload("workload: {data: []}\n"),
       "mine.yaml:3:18: \"data\" is an empty list"},
      {"AListInAListOfFiles", with_workload("workload: {data: [[data.sql]]}\n"),
       "mine.yaml:3:19: \"data\" must be text, not a list"},
      {"ADeviceAsSchema",
       with_workload("workload: {schema: /dev/null, data: data.sql}\n"),
       "mine.yaml:3:20: \"schema\": a file is expected, but something else is "
       "/dev/null"},
      {"DataAndGenerate",
       with_workload("workload:\n  data: data.sql\n"
                     "  generate: {schema: tiny}\n"),
       "mine.yaml:4:3: \"data\" and \"generate\" exclude each other"},
      {"AnUnknownShippedSchema",
       with_workload("workload: {generate: {schema: tny}}\n"),
       "mine.yaml:3:31: unknown schema \"tny\" — did you mean \"tiny\"?"},
      {"AFolderWithoutGeneratorFile",
       with_workload("workload: {generate: {schema: unfinished}}\n"),
       "mine.yaml:3:31: unknown schema \"unfinished\"; there is tiny"},
      {"GenerateWithoutSchema", with_workload("workload: {generate: {}}\n"),
       "mine.yaml:3:22: \"generate\" lacks \"schema\""},
      {"AScaleOfZero",
       with_workload("workload: {generate: {schema: tiny, scale: 0}}\n"),
       "mine.yaml:3:44: \"scale\" must be a number above 0 and at most "
       "1000000, not \"0\""},
      {"AScaleThatIsNoNumber",
       with_workload("workload: {generate: {schema: tiny, scale: nan}}\n"),
       "mine.yaml:3:44: \"scale\" must be a number above 0 and at most "
       "1000000, not \"nan\""},
      {"AMisspeltPhase",
       with_workload("workload:\n  data: data.sql\n"
                     "  phases: [create_database, improt]\n"),
       "mine.yaml:5:29: unknown phase \"improt\" — did you mean \"import\"?"},
      {"PhasesOutOfOrder",
       with_workload("workload:\n  data: data.sql\n"
                     "  phases: [create_database, index, import]\n"),
       "mine.yaml:5:36: phase \"import\" must come before \"index\""},
      {"APhaseTwice",
       with_workload("workload:\n  data: data.sql\n"
                     "  phases: [create_database, import, import]\n"),
       "mine.yaml:5:37: phase \"import\" is there twice"},
      {"PhasesWithoutImport",
       with_workload("workload:\n  data: data.sql\n"
                     "  phases: [create_database, index]\n"),
       "mine.yaml:5:11: \"phases\" lacks \"import\""},
      {"NoPhases",
       with_workload("workload:\n  generate: {schema: tiny}\n"
                     "  phases: []\n"),
       "mine.yaml:5:11: \"phases\" lacks \"create_database\"\n"
       "mine.yaml:5:11: \"phases\" lacks \"import\""},
      {"AnUnknownClient",
       with_workload("workload: {data: data.sql, client: pgsql}\n"),
       "mine.yaml:3:36: unknown client \"pgsql\" — did you mean \"psql\"?"},
      {"AnUnknownErrorRule",
       with_workload("workload: {data: data.sql, on_error: ignore}\n"),
       "mine.yaml:3:38: unknown on_error \"ignore\"; there is stop, continue"},
  };
}

std::vector<Case> execution_cases() {
  const std::string wrong_jobs =
      "mine.yaml:5:9: \"jobs\" must be a whole number from 1 to 64, not ";
  return {
      {"NoJobs", with_execution("jobs: 0"), wrong_jobs + "\"0\""},
      {"TooManyJobs", with_execution("jobs: 65"), wrong_jobs + "\"65\""},
      {"JobsInATransaction",
       with_execution("jobs: 2\n  single_transaction: true"),
       "mine.yaml:5:3: \"jobs\" above 1 and \"single_transaction\" exclude "
       "each other: a transaction has one connection"},
      {"JobsOfPsql", with_execution("client: psql\n  jobs: 2"),
       "mine.yaml:6:3: \"jobs\" above 1 need client: native; psql has one "
       "connection"},
      {"SplitTablesOfPsql",
       with_execution("client: psql\n  split_tables: true"),
       "mine.yaml:6:3: \"split_tables\" needs client: native; psql has one "
       "connection"},
      {"APipelineOfPsql", with_execution("client: psql\n  pipeline: false"),
       "mine.yaml:6:3: \"pipeline\" needs client: native; psql waits for each "
       "answer"},
      {"SplitTablesWithoutJobs", with_execution("split_tables: true"),
       "mine.yaml:5:3: \"split_tables\" needs \"jobs\" above 1: one connection "
       "has nothing to share"},
      {"ATransactionOfPsqlOverTwoFiles",
       with_execution("client: psql\n  schema: schema.sql\n"
                      "  single_transaction: true"),
       "mine.yaml:7:3: \"single_transaction\" of more than one file needs "
       "client: native; psql's ends with each file"},
      {"AFlagOfExecutionThatIsNone", with_execution("create_roles: 1"),
       "mine.yaml:5:17: \"create_roles\" must be true or false, not \"1\""},
      {"ATimeoutOfNothing", with_execution("timeout: 0"),
       "mine.yaml:5:12: \"timeout\" must be above zero"},
      {"ATimeoutOfMoreThanAWeek", with_execution("timeout: 169h"),
       "mine.yaml:5:12: \"timeout\" must be 7 days (168h) at most"},
      {"ATimeoutWithoutUnit", with_execution("timeout: 30"),
       "mine.yaml:5:12: \"timeout\": \"30\" has no unit; a duration such as "
       "10s or 2 min is expected"},
  };
}

std::vector<Case> target_cases() {
  return {
      {"NoTargets", with_targets("targets: []\n"),
       "mine.yaml:3:10: \"targets\" is an empty list"},
      {"TargetsThatAreAMap", with_targets("targets: {name: a, path: .}\n"),
       "mine.yaml:3:10: \"targets\" must be a list, not a map"},
      {"ATargetThatIsAWord", with_targets("targets: [here]\n"),
       "mine.yaml:3:11: target must be a map, not \"here\""},
      {"ATargetWithoutName", with_targets("targets: [{path: .}]\n"),
       "mine.yaml:3:11: target lacks \"name\""},
      {"ATargetWithoutPlace", with_targets("targets: [{name: a}]\n"),
       "mine.yaml:3:11: target \"a\" lacks \"path\" or \"loop\""},
      {"ATargetOfTwoKinds",
       with_targets("targets:\n  - name: a\n    path: .\n"
                    "    loop: {size: 1 GB, filesystem: xfs}\n"),
       "mine.yaml:4:5: target \"a\" has both \"path\" and \"loop\""},
      {"ANameTwice",
       with_targets("targets:\n  - {name: a, path: .}\n"
                    "  - {name: a, path: schemas}\n"),
       "mine.yaml:5:12: target name \"a\" is there twice, first in line 4"},
      {"ANameThatIsAPath", with_targets("targets: [{name: ../a, path: .}]\n"),
       "mine.yaml:3:18: target name \"../a\" must be letters, digits, '.', "
       "'_' and '-', and begin with a letter or digit"},
      {"ADirectoryTwice",
       with_targets("targets:\n  - {name: a, path: schemas}\n"
                    "  - {name: b, path: schemas/../schemas/}\n"),
       "mine.yaml:5:21: target \"b\" has the same directory as target \"a\""},
      {"AMissingDirectory",
       with_targets("targets: [{name: a, path: /no/such/place}]\n"),
       "mine.yaml:3:27: \"path\": /no/such/place does not exist"},
      {"AFileAsDirectory",
       with_targets("targets: [{name: a, path: data.sql}]\n"),
       "mine.yaml:3:27: \"path\": data.sql is not a directory"},
      {"AMisspeltKeyOfALoop",
       with_targets("targets:\n  - name: xfs\n    loop:\n"
                    "      size: 1 GB\n      filesytem: xfs\n"),
       "mine.yaml:7:7: unknown key \"filesytem\" in \"loop\" of target "
       "\"xfs\" — did you mean \"filesystem\"?"},
      {"ALoopWithoutSize",
       with_targets("targets: [{name: a, loop: {filesystem: xfs}}]\n"),
       "mine.yaml:3:27: \"loop\" of target \"a\" lacks \"size\""},
      {"AWrongSizeUnit",
       with_targets("targets: [{name: a, loop: {size: 1 GX, "
                    "filesystem: xfs}}]\n"),
       "mine.yaml:3:34: \"size\": \"1 GX\" has the unknown unit \"GX\"; a "
       "size such as 512 MiB or 2 GB is expected"},
      {"ANegativeSize",
       with_targets("targets: [{name: a, loop: {size: -1 GiB, "
                    "filesystem: xfs}}]\n"),
       "mine.yaml:3:34: \"size\": \"-1 GiB\" is negative"},
      {"ASizeOfZero",
       with_targets("targets: [{name: a, loop: {size: 0, "
                    "filesystem: xfs}}]\n"),
       "mine.yaml:3:34: \"size\" must be above zero"},
      {"AMisspeltFileSystem",
       with_targets("targets: [{name: a, loop: {size: 1 GB, "
                    "filesystem: etx3}}]\n"),
       "mine.yaml:3:52: unknown file system \"etx3\" — did you mean "
       "\"ext3\"?"},
      {"MountOptionsWithSpaces",
       with_targets("targets:\n  - name: a\n    loop:\n      size: 1 GB\n"
                    "      filesystem: xfs\n"
                    "      mount_options: noatime, nodiratime\n"),
       "mine.yaml:8:22: \"mount_options\" must be one word, options between "
       "commas"},
      {"AMissingImageDirectory",
       with_targets("targets:\n  - name: a\n    loop:\n      size: 1 GB\n"
                    "      filesystem: xfs\n      image_dir: images\n"),
       "mine.yaml:8:18: \"image_dir\": images does not exist"},
      {"MkfsArgumentsThatAreAMap",
       with_targets("targets:\n  - name: a\n    loop:\n      size: 1 GB\n"
                    "      filesystem: xfs\n      mkfs_args: {m: 0}\n"),
       "mine.yaml:8:18: \"mkfs_args\" must be a list of words, not a map"},
  };
}

class ScenarioErrors : public testing::TestWithParam<Case> {};

TEST_P(ScenarioErrors, AreReportedWithTheirPlace) {
  const ScenarioFolder folder;
  EXPECT_EQ(folder.errors(GetParam().text), GetParam().errors);
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Syntax, ScenarioErrors,
                         testing::ValuesIn(syntax_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(General, ScenarioErrors,
                         testing::ValuesIn(general_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Postgres, ScenarioErrors,
                         testing::ValuesIn(postgres_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Workload, ScenarioErrors,
                         testing::ValuesIn(workload_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Execution, ScenarioErrors,
                         testing::ValuesIn(execution_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Targets, ScenarioErrors,
                         testing::ValuesIn(target_cases()), name_of);

TEST(ScenarioErrors, AFileCutAtAnyByteIsNoCrash) {
  const ScenarioFolder folder;
  const std::string whole = with(
      "postgres: {settings: {jit: \"off\", work_mem: 4MB}}\n"
      "description: |\n  text\nstate: {settle: 5s}\n");
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NO_THROW(folder.errors(whole.substr(0, length))) << length;
  }
}

TEST(ScenarioErrors, DeepNestingIsNoCrash) {
  const ScenarioFolder folder;
  EXPECT_NE(folder.errors("name: " + std::string(100000, '[')), "");
}

}  // namespace
}  // namespace sidegrade::scenario
