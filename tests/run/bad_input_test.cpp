// Input that nobody should have: refused before the run as a whole, or a failed
// trial that names file and line, after which the next one runs.
#include <gmock/gmock.h>

#include <fstream>
#include <functional>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "postgres/database.h"
#include "support/scenario_bed.h"
#include "support/test_cluster.h"

namespace sidegrade::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using test::ScenarioBed;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Matcher;
using testing::Not;
using testing::SizeIs;

constexpr uint64_t kGibibyte = uint64_t{1} << 30;

const std::string kTable = "CREATE TABLE t (a int, b text);\n";
const std::string kRows = "COPY t FROM stdin;\n1\tx\n2\ty\n\\.\n";

class BadInput : public testing::Test {
 protected:
  const test::TempDir& dir() const { return bed_.dir(); }

  void run(const std::string& workload, int rounds = 1) {
    outcome_ = bed_.run(ScenarioBed::directory_scenario(workload, rounds));
    samples_ = bed_.samples();
    EXPECT_FALSE(outcome_.interrupted);
    EXPECT_THAT(samples_, SizeIs(static_cast<size_t>(rounds)));
    EXPECT_THAT(bed_.leftovers(), IsEmpty());
  }

  void expect_failure(size_t sample, const std::string& step,
                      const Matcher<std::string>& sentence) {
    const std::optional<store::Failure>& failure = samples_.at(sample).failure;
    ASSERT_TRUE(failure) << "trial " << sample + 1;
    EXPECT_EQ(failure->step, step);
    EXPECT_THAT(failure->sentence, sentence);
  }

  void expect_trials_to_fail(const std::string& workload,
                             const std::string& step,
                             const Matcher<std::string>& sentence,
                             int rounds = 2) {
    run(workload, rounds);
    EXPECT_EQ(outcome_.failed, rounds);
    for (size_t i = 0; i < samples_.size(); ++i) {
      expect_failure(i, step, sentence);
    }
  }

  /// Nothing is measured, and nothing is left that says so.
  void expect_refusal(const std::string& workload,
                      const Matcher<std::string>& sentence) {
    try {
      bed_.run(ScenarioBed::directory_scenario(workload));
      ADD_FAILURE() << "it ran";
    } catch (const base::Error& error) {
      EXPECT_THAT(error.what(), sentence);
    }
    EXPECT_THAT(bed_.progress().events, Not(Contains("trial 1")));
    EXPECT_FALSE(fs::exists(bed_.paths().results));
    EXPECT_THAT(bed_.leftovers(), IsEmpty());
  }

  std::vector<std::string> cached_files() {
    std::vector<std::string> files;
    std::error_code absent;
    for (const auto& entry :
         fs::directory_iterator(bed_.paths().cache, absent)) {
      files.push_back(entry.path().filename());
    }
    return files;
  }

  /// Does something when an event comes for the first time.
  void once_at(const std::string& event, const std::function<void()>& deed) {
    bed_.progress().at_event = [=,
                                done = false](const std::string& one) mutable {
      if (one != event || done) return;
      done = true;
      deed();
    };
  }

  /// Between `begin` and `end`, one line of 1 GiB.
  void write_long_line(const std::string& begin, const std::string& end) const {
    std::ofstream file(dir() / "data.sql", std::ios::binary);
    const std::string piece(size_t{1} << 20, 'x');
    file << begin;
    for (uint64_t i = 0; i < kGibibyte / piece.size(); ++i) file << piece;
    file << end;
  }

  ScenarioBed bed_;
  RunOutcome outcome_;
  std::vector<store::Sample> samples_;
};

/// A script that fails, where, and with what.
struct BadScript {
  friend void PrintTo(const BadScript& script, std::ostream* out) {
    *out << script.name;
  }

  std::string name;
  std::string text;
  std::string step;
  std::string sentence;
};

class ScriptsThatFail : public BadInput,
                        public testing::WithParamInterface<BadScript> {};

TEST_P(ScriptsThatFail, FailEachTrialAtTheirLine) {
  dir().file("data.sql", GetParam().text);
  expect_trials_to_fail("{data: data.sql}", GetParam().step,
                        HasSubstr(GetParam().sentence));
}

INSTANTIATE_TEST_SUITE_P(
    For, ScriptsThatFail,
    testing::Values(
        BadScript{"ANulByteInCopyData",
                  kTable + "COPY t FROM stdin;\n1\tx\n2\ty\0z\n\\.\n"s,
                  "import",
                  "data.sql:4: invalid byte sequence for encoding \"UTF8\": "
                  "0x00 (SQLSTATE 22021)"},
        BadScript{"InvalidUtf8InCopyData",
                  kTable + "COPY t FROM stdin;\n1\tx\n2\t\xc3(\n\\.\n",
                  "import",
                  "data.sql:4: invalid byte sequence for encoding \"UTF8\": "
                  "0xc3 0x28 (SQLSTATE 22021)"},
        BadScript{"InvalidUtf8InAnInsert",
                  kTable + "INSERT INTO t VALUES (1, 'x');\n"
                           "INSERT INTO t VALUES (2, '\xff');\n",
                  "import",
                  "data.sql:3: invalid byte sequence for encoding \"UTF8\": "
                  "0xff (SQLSTATE 22021)"},
        BadScript{"InvalidUtf8InOneOfManyInsertsOfATransaction",
                  kTable + "BEGIN;\nINSERT INTO t VALUES (1, 'x');\n"
                           "INSERT INTO t VALUES (2, '\xff');\n"
                           "INSERT INTO t VALUES (3, 'x');\nCOMMIT;\n",
                  "import",
                  "data.sql:4: invalid byte sequence for encoding \"UTF8\": "
                  "0xff (SQLSTATE 22021)"},
        BadScript{"ASyntaxErrorInOneOfManyInsertsOfATransaction",
                  kTable + "BEGIN;\nINSERT INTO t VALUES (1, 'x');\n"
                           "INSERT INTO t VALUE (2, 'y');\n"
                           "INSERT INTO t VALUES (3, 'z');\nCOMMIT;\n",
                  "import",
                  "data.sql:4: syntax error at or near \"VALUE\" "
                  "(SQLSTATE 42601)"},
        BadScript{"ARowWithTooManyColumns",
                  kTable + "COPY t FROM stdin;\n1\tx\n2\ty\tz\n\\.\n", "import",
                  "data.sql:4: extra data after last expected column "
                  "(SQLSTATE 22P04)"},
        BadScript{"AScriptThatDropsItsOwnDatabase",
                  kTable + kRows +
                      "\\connect postgres\nSELECT 1;\n"
                      "DROP DATABASE sidegrade;\n",
                  "import",
                  "data.sql:8: the script drops the database that it is "
                  "measured in"}),
    [](const auto& test) { return test.param.name; });

class ScriptsThatAreRefused : public BadInput,
                              public testing::WithParamInterface<BadScript> {};

TEST_P(ScriptsThatAreRefused, AreNamedBeforeTheRun) {
  dir().file("data.sql", GetParam().text);
  fs::create_directory(dir() / "folder");
  expect_refusal("{data: data.sql}", HasSubstr(GetParam().sentence));
}

INSTANTIATE_TEST_SUITE_P(
    For, ScriptsThatAreRefused,
    testing::Values(
        BadScript{"ACopyBlockThatIsCutWithinARow",
                  kTable + "COPY t FROM stdin;\n1\tx\n2", "",
                  "data.sql:2: the COPY data that begin here have no end"},
        BadScript{"AMissingEndMarker",
                  kTable + "COPY t FROM stdin;\n1\tx\n2\ty\nSELECT 1;\n", "",
                  "data.sql:2: the COPY data that begin here have no end"},
        BadScript{"ANulByteInSql", kTable + "SELECT 'x\0y';\n"s, "",
                  "data.sql:2: the line holds a NUL byte"},
        BadScript{"AFolderThatIsIncluded", kTable + "\\i folder\n", "",
                  "data.sql:2: \\i: "},
        BadScript{"AFolderWhoseRowsAreCopied",
                  kTable + "\\copy t from 'folder'\n", "", "data.sql:2: "},
        BadScript{"ARoleThatIsMissing",
                  kTable + "ALTER TABLE t OWNER TO nobody_here;\n", "",
                  "data.sql:2: role \"nobody_here\" is not made"},
        BadScript{"AnExtensionThatIsMissing",
                  kTable + "CREATE EXTENSION no_such_extension;\n", "",
                  "data.sql:2: extension \"no_such_extension\" is not "
                  "installed"}),
    [](const auto& test) { return test.param.name; });

TEST_F(BadInput, AFolderInPlaceOfAFileIsFoundInTheScenario) {
  fs::create_directory(dir() / "data.sql");
  expect_refusal("{data: data.sql}",
                 AllOf(HasSubstr("scenario.yaml:3:"), HasSubstr("data.sql")));
}

TEST_F(BadInput, AFileThatBecomesAFolderFailsItsTrial) {
  dir().file("data.sql", kTable + kRows);
  once_at("end 1", [&] {
    fs::rename(dir() / "data.sql", dir() / "kept");
    fs::create_directory(dir() / "data.sql");
  });
  run("{data: data.sql}", 2);
  EXPECT_FALSE(samples_[0].failure);
  expect_failure(1, "settle", HasSubstr("data.sql"));
}

TEST_F(BadInput, AnSqlLineOfAGibibyteIsNamedBeforeTheRun) {
  write_long_line("SELECT 1;\nSELECT '", "';\n");
  expect_refusal("{data: data.sql}",
                 HasSubstr("data.sql:2: the line is longer than the 1 GiB"));
}

TEST_F(BadInput, ARowOfAGibibyteFailsTheTrialAtItsLine) {
  write_long_line(kTable + "COPY t FROM stdin;\n1\tx\n2\t", "\n\\.\n");
  expect_trials_to_fail("{data: data.sql}", "import", HasSubstr("data.sql:4: "),
                        1);
}

/// More than is read ahead, so that what is missing is missed.
std::string long_script() {
  std::string text = kTable + "COPY t FROM stdin;\n";
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i) + "\tx\n";
  return text + "\\.\n";
}

TEST_F(BadInput, AFileThatShrinksWhileItIsReadFailsOnlyItsTrial) {
  const std::string text = long_script();
  const fs::path file = dir().file("data.sql", text);
  bed_.progress().at_event = [&, imports = 0](const std::string& one) mutable {
    if (one == "step import" && ++imports == 1) {
      fs::resize_file(file, text.size() / 2);
    }
    if (one == "end 1") dir().file("data.sql", text);
  };
  run("{data: data.sql}", 2);
  expect_failure(0, "import",
                 AllOf(HasSubstr("data.sql:"), HasSubstr("the file shrank")));
  EXPECT_FALSE(samples_[1].failure);
}

TEST_F(BadInput, AFileThatShrinksBetweenTwoRowsUnderPsqlFailsItsTrial) {
  const std::string text = long_script();
  const fs::path file = dir().file("data.sql", text);
  once_at("step import",
          [&] { fs::resize_file(file, text.find("\n1000\t") + 1); });
  expect_trials_to_fail("{data: data.sql, client: psql}", "import",
                        AllOf(HasSubstr("data.sql"), HasSubstr("shrank")), 1);
}

TEST_F(BadInput, AScriptThatStopsTheServerFailsAndTheNextTrialRuns) {
  const fs::path marks = dir() / "marks";
  fs::create_directory(marks);
  fs::permissions(marks, fs::perms(0777));
  const std::string mark = (marks / "stopped").string();
  dir().file("data.sql", kTable + kRows +
                             "COPY (SELECT 1) TO PROGRAM 'cat; test -e " +
                             mark + " || { touch " + mark +
                             "; kill -INT $(head -1 postmaster.pid); sleep "
                             "5; }';\nSELECT 1;\n");
  run("{data: data.sql}", 2);
  expect_failure(0, "import", HasSubstr("data.sql:6: "));
  EXPECT_THAT(samples_[0].failure->hint, HasSubstr("the server's log: "));
  EXPECT_FALSE(samples_[1].failure);
}

TEST_F(BadInput, AServerThatIsStoppedAtOnceIsAFailureToo) {
  dir().file("data.sql", kTable + kRows +
                             "COPY (SELECT 1) TO PROGRAM "
                             "'kill -QUIT $(head -1 postmaster.pid)';\n"
                             "SELECT pg_sleep(30);\n");
  expect_trials_to_fail("{data: data.sql}", "import", HasSubstr("data.sql:"),
                        1);
  EXPECT_THAT(samples_[0].failure->hint, HasSubstr("the server's log: "));
}

class ScriptsWithoutEnd : public BadInput,
                          public testing::WithParamInterface<BadScript> {};

TEST_P(ScriptsWithoutEnd, EndWithTheTimeLimitOfTheirPhase) {
  dir().file("data.sql", GetParam().text);
  expect_trials_to_fail(
      "{data: data.sql, timeout: 1s}", GetParam().step,
      AllOf(HasSubstr(GetParam().sentence), HasSubstr("time limit")), 1);
}

INSTANTIATE_TEST_SUITE_P(
    For, ScriptsWithoutEnd,
    testing::Values(
        BadScript{"ALoopThatCatchesItsCancellation",
                  kTable + kRows +
                      "DO $$\nBEGIN\n  LOOP\n    BEGIN\n"
                      "      PERFORM pg_sleep(3600);\n"
                      "    EXCEPTION WHEN query_canceled THEN NULL;\n"
                      "    END;\n  END LOOP;\nEND $$;\n",
                  "import", "data.sql:"},
        BadScript{"RowsOfAProgramThatDoesNotEnd",
                  kTable + "COPY t FROM PROGRAM 'sleep 3600';\n", "import",
                  "data.sql:2: "},
        BadScript{"AnInsertAmongMany",
                  kTable + "BEGIN;\nINSERT INTO t VALUES (1);\n"
                           "INSERT INTO t SELECT 1 FROM pg_sleep(3600);\n"
                           "COMMIT;\n",
                  "import", "data.sql:"},
        BadScript{"AnIndex",
                  kTable +
                      "CREATE FUNCTION slow(a int) RETURNS int LANGUAGE SQL "
                      "IMMUTABLE AS 'SELECT a FROM pg_sleep(3600)';\n" +
                      kRows + "CREATE INDEX i ON t (slow(a));\n",
                  "index", "data.sql:7: "}),
    [](const auto& test) { return test.param.name; });

TEST_F(BadInput, AScriptThatNeverReturnsFailsAndTheNextTrialRuns) {
  dir().file("data.sql", kTable + kRows + "SELECT pg_sleep(3600);\n");
  expect_trials_to_fail("{data: data.sql, timeout: 1s}", "import",
                        AllOf(HasSubstr("data.sql:6: the phase did not end "
                                        "within its time limit")));
}

TEST_F(BadInput, AnIndexThatNeverEndsOnOneOfTwoConnectionsFailsTheTrial) {
  dir().file("data.sql",
             kTable +
                 "CREATE FUNCTION slow(a int) RETURNS int LANGUAGE SQL "
                 "IMMUTABLE AS 'SELECT a FROM pg_sleep(3600)';\n" +
                 kRows +
                 "CREATE INDEX i ON t (a);\nCREATE INDEX j ON t (slow(a));\n");
  expect_trials_to_fail("{data: data.sql, jobs: 2, timeout: 1s}", "index",
                        AllOf(HasSubstr("data.sql:"), HasSubstr("time limit")),
                        1);
}

TEST_F(BadInput, PsqlEndsWithTheTimeLimitOfThePhaseToo) {
  dir().file("data.sql", kTable + kRows + "SELECT pg_sleep(3600);\n");
  expect_trials_to_fail("{data: data.sql, client: psql, timeout: 1s}", "import",
                        HasSubstr("did not end"), 1);
  EXPECT_THAT(samples_[0].failure->sentence + samples_[0].failure->hint,
              HasSubstr("data.sql"));
}

TEST_F(BadInput, AnErrorUnderPsqlFailsTheTrialWithItsWords) {
  dir().file("data.sql", kTable + "COPY t FROM stdin;\n1\tx\n2\n\\.\n");
  expect_trials_to_fail("{data: data.sql, client: psql}", "import",
                        HasSubstr(":5: ERROR:  missing data for column"), 1);
  EXPECT_THAT(samples_[0].failure->sentence + samples_[0].failure->hint,
              AllOf(HasSubstr("data.sql"), HasSubstr("COPY t, line 2")));
}

TEST_F(BadInput, AScriptThatDropsItsDatabaseUnderPsqlFailsTheTrial) {
  dir().file("data.sql",
             kTable + kRows + "\\connect postgres\nDROP DATABASE sidegrade;\n");
  run("{data: data.sql, client: psql}");
  ASSERT_TRUE(samples_[0].failure);
  EXPECT_THAT(samples_[0].failure->sentence, HasSubstr("sidegrade"));
}

TEST_F(BadInput, MissingRolesAreMadeIfAsked) {
  dir().file("data.sql",
             kTable + "ALTER TABLE t OWNER TO nobody_here;\n" + kRows);
  run("{data: data.sql, create_roles: true}");
  EXPECT_FALSE(samples_[0].failure) << samples_[0].failure->sentence;
  ASSERT_THAT(samples_[0].tables, SizeIs(1));
  EXPECT_EQ(samples_[0].tables[0].rows, 2);
}

TEST_F(BadInput, ADamagedGzipFileIsRefusedAndNothingOfItIsCached) {
  const fs::path file = dir().file("data.sql", kTable + kRows);
  base::run_checked({.argv = {"gzip", file.string()}});
  std::string bytes = base::read_file(dir() / "data.sql.gz");
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  dir().file("data.sql.gz", bytes);
  expect_refusal("{data: data.sql.gz}",
                 HasSubstr("data.sql.gz could not be decompressed"));
  EXPECT_THAT(cached_files(), IsEmpty());
}

TEST_F(BadInput, ACutArchiveIsRefusedAndNothingOfItIsCached) {
  test::TestCluster cluster;
  cluster.execute("CREATE TABLE t AS SELECT generate_series(1, 100000)");
  const std::string archive = dir() / "data.custom";
  const postgres::Endpoint& endpoint = cluster.endpoint();
  base::run_checked(
      {.argv = {cluster.spec().installation.program("pg_dump").string(),
                "--format=custom", "--file=" + archive,
                "--host=" + endpoint.socket_directory.string(),
                "--username=" + endpoint.user, "postgres"}});
  fs::resize_file(archive, fs::file_size(archive) / 2);
  expect_refusal("{data: data.custom}",
                 HasSubstr("data.custom could not be turned into SQL"));
  EXPECT_THAT(cached_files(), IsEmpty());
}

TEST_F(BadInput, AnErrorInASingleTransactionRollsAllBack) {
  dir().file("schema.sql", kTable + "INSERT INTO t VALUES (0, 'z');\n");
  dir().file("data.sql", kRows + "SELECT 1/0;\n");
  std::vector<std::string> tables{"not looked at"};
  once_at("step tear_down", [&] {
    const fs::path private_directory =
        fs::directory_iterator(dir() / "run")->path();
    tables.clear();
    for (const postgres::TableContents& table :
         postgres::read_contents({.socket_directory = private_directory}, {})) {
      tables.push_back(table.name);
    }
  });
  expect_trials_to_fail(
      "{schema: schema.sql, data: data.sql, single_transaction: true}",
      "import", HasSubstr("data.sql:5: division by zero (SQLSTATE 22012)"), 1);
  EXPECT_THAT(tables, IsEmpty());
}

TEST_F(BadInput, ErrorsPassedOverInASingleTransactionAreNamedWhenItIsUndone) {
  dir().file("data.sql", kTable + kRows + "SELECT 1/0;\nSELECT 2;\n");
  expect_trials_to_fail(
      "{data: data.sql, single_transaction: true, on_error: continue}",
      "import", AllOf(HasSubstr("rolled back"), HasSubstr("data.sql:6: ")), 1);
}

TEST_F(BadInput, ABadRowInTheSecondPartOfASplitTableIsNamedByItsLine) {
  std::string text = kTable + "COPY t FROM stdin;\n";
  const std::string value(100, 'x');
  constexpr int kCount = 40'000;
  for (int i = 1; i <= kCount; ++i) {
    text += (i == kCount - 5 ? "n/a" : std::to_string(i)) + "\t" + value + "\n";
  }
  dir().file("data.sql", text + "\\.\n");
  expect_trials_to_fail(
      "{data: data.sql, jobs: 2, split_tables: true}", "import",
      HasSubstr("data.sql:" + std::to_string(kCount - 5 + 2) +
                ": invalid input syntax for type integer: \"n/a\""),
      1);
}

}  // namespace
}  // namespace sidegrade::bench
