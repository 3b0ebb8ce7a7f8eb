#include "postgres/script_session.h"

#include <gmock/gmock.h>

#include <limits>

#include "base/error.h"
#include "support/test_cluster.h"

namespace sidegrade::postgres {
namespace {

using test::TempDir;
using test::TestCluster;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

class ScriptSessionTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = new TestCluster; }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }
  void SetUp() override { cluster_->renew_database("scripts"); }

  ScriptWork run(const std::string& text, OnError on_error = OnError::kStop) {
    return run(text, {.endpoint = cluster_->endpoint(),
                      .database = "scripts",
                      .on_error = on_error});
  }

  ScriptWork run(const std::string& text, ScriptSession::Options options,
                 base::Deadline deadline = {}) {
    ScriptSession session(std::move(options), cluster_->interrupt(),
                          bytes_sent_);
    session.begin({dir_.file("a.sql", text)});
    return session.run_until(kToTheEnd, deadline);
  }

  /// In one transaction.
  ScriptWork run_at_once(const std::string& text,
                         OnError on_error = OnError::kStop,
                         bool pipeline = true) {
    ScriptSession session({.endpoint = cluster_->endpoint(),
                           .database = "scripts",
                           .on_error = on_error,
                           .pipeline = pipeline},
                          cluster_->interrupt(), bytes_sent_);
    session.begin({dir_.file("a.sql", text)});
    session.begin_transaction();
    ScriptWork work = session.run_until(kToTheEnd);
    work.add(session.commit());
    return work;
  }

  /// The error that `text` ends with.
  base::Error error_of(const std::string& text) {
    try {
      run(text);
    } catch (const base::Error& error) {
      return error;
    }
    return base::Error("(no error)");
  }

  static std::vector<std::string> tables() {
    std::vector<std::string> names;
    for (const TableContents& table : read_contents(cluster_->endpoint(), {})) {
      names.push_back(table.name + " " + std::to_string(table.rows));
    }
    return names;
  }

  static inline TestCluster* cluster_ = nullptr;
  TempDir dir_;
  std::atomic<uint64_t> bytes_sent_{0};
};

TEST_F(ScriptSessionTest, LoadsCopyDataAndCountsWhatItDid) {
  const std::string text =
      "CREATE TABLE t (a int, b text);\n"
      "COPY t (a, b) FROM stdin;\n1\tx\\ty\n2\t\\N\n\\.\n"
      "INSERT INTO t VALUES (3, 'z'), (4, 'z');\n";
  const ScriptWork work = run(text);
  EXPECT_EQ(work.statements, 3U);
  EXPECT_EQ(work.rows, 4U);
  EXPECT_EQ(work.copy_bytes, 12U);
  EXPECT_EQ(work.script_bytes, text.size());
  EXPECT_EQ(bytes_sent_, text.size());
  EXPECT_THAT(tables(), ElementsAre("scripts.public.t 4"));
}

TEST_F(ScriptSessionTest, StopsBetweenPartsAndGoesOnInTheSameSession) {
  ScriptSession session(
      {.endpoint = cluster_->endpoint(), .database = "scripts"},
      cluster_->interrupt(), bytes_sent_);
  session.begin({dir_.file("a.sql",
                           "CREATE TEMP TABLE t (a int);\nINSERT INTO t VALUES "
                           "(1);\nINSERT INTO t VALUES (2);\n")});
  EXPECT_EQ(session.run_until(1).statements, 1U);
  EXPECT_EQ(session.run_until(kToTheEnd).rows, 2U);
}

TEST_F(ScriptSessionTest, NamesFileLineStatementAndSqlstate) {
  const base::Error error =
      error_of("SELECT 1;\n\nSELECT 1,\n  no_such_column\n  FROM pg_class;\n");
  EXPECT_THAT(error.what(), HasSubstr("a.sql:4: column \"no_such_column\" does "
                                      "not exist (SQLSTATE 42703)"));
  EXPECT_THAT(error.hint(), HasSubstr("in SELECT 1,"));
}

TEST_F(ScriptSessionTest, NamesTheLineOfABadCopyRow) {
  const base::Error error =
      error_of("CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\nn/a\n3\n\\.\n");
  EXPECT_THAT(error.what(), HasSubstr("a.sql:4: invalid input syntax for type "
                                      "integer: \"n/a\" (SQLSTATE 22P02)"));
  EXPECT_THAT(error.hint(), HasSubstr("in COPY t FROM stdin;"));
}

TEST_F(ScriptSessionTest, GoesOnAfterErrorsIfAsked) {
  const ScriptWork work =
      run("SELECT 1/0;\nCREATE TABLE t (a int);\n"
          "COPY nowhere FROM stdin;\n1\n\\.\n"
          "INSERT INTO t VALUES (1);\n",
          OnError::kContinue);
  // As in psql 15.20: the rows of a COPY that failed are passed over.
  EXPECT_EQ(work.errors, 2U);
  EXPECT_THAT(tables(), ElementsAre("scripts.public.t 1"));
}

TEST_F(ScriptSessionTest, FollowsTheScriptsOwnOnErrorStop) {
  EXPECT_THAT(run("\\set ON_ERROR_STOP off\nSELECT 1/0;\n").errors, 1U);
  EXPECT_THAT(error_of("\\set ON_ERROR_STOP off\n\\set ON_ERROR_STOP on\n"
                       "SELECT 1/0;\n")
                  .what(),
              HasSubstr("a.sql:3: division by zero"));
}

TEST_F(ScriptSessionTest, CountsNoticesAndWarnings) {
  const ScriptWork work =
      run("DO $$ BEGIN RAISE NOTICE 'n'; RAISE WARNING 'w'; END $$;\n");
  EXPECT_EQ(work.messages.notices, 1U);
  EXPECT_EQ(work.messages.warnings, 1U);
  EXPECT_THAT(work.messages.first, ElementsAre("NOTICE: n", "WARNING: w"));
}

TEST_F(ScriptSessionTest, ConnectsToAnotherDatabase) {
  run("DROP DATABASE IF EXISTS other;\nCREATE DATABASE other;\n"
      "\\connect -reuse-previous=on \"dbname='other'\"\n"
      "CREATE TABLE there (a int);\n\\connect scripts\n"
      "CREATE TABLE here (a int);\n");
  EXPECT_THAT(tables(),
              ElementsAre("other.public.there 0", "scripts.public.here 0"));
  cluster_->execute("DROP DATABASE other WITH (FORCE)");
}

TEST_F(ScriptSessionTest, RefusesOtherCommandsWhileRestricted) {
  EXPECT_THAT(error_of("\\restrict k\n\\encoding UTF8\n").what(),
              HasSubstr("a.sql:2: backslash commands are restricted"));
  EXPECT_THAT(error_of("\\restrict k\n\\unrestrict q\n").what(),
              HasSubstr("wrong key"));
  run("\\restrict k\nSELECT 1;\n\\unrestrict k\n\\encoding UTF8\n");
}

TEST_F(ScriptSessionTest, SaysThatTheServerWentAway) {
  const base::Error error = error_of(
      "SELECT 1;\nSELECT pg_terminate_backend(pg_backend_pid());\nSELECT 2;\n");
  EXPECT_THAT(error.what(), HasSubstr("a.sql:2: "));
  EXPECT_THAT(error.what(), HasSubstr("terminating connection"));
}

TEST_F(ScriptSessionTest, DropsWhatCopyToStdoutPrints) {
  EXPECT_EQ(run("COPY (SELECT 1) TO STDOUT;\nSELECT 1;\n").statements, 2U);
}

TEST_F(ScriptSessionTest, TakesACopyWithoutItsEndForAFailure) {
  EXPECT_THAT(
      error_of("CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n").what(),
      HasSubstr("before the line \\."));
  EXPECT_THAT(tables(), ElementsAre("scripts.public.t 0"));
}

TEST_F(ScriptSessionTest, ExecutesWhatAQueryReturns) {
  run("CREATE TABLE t (a int);\n"
      "SELECT format('INSERT INTO t VALUES (%s)', g), NULL\n"
      "  FROM generate_series(1, 3) g \\gexec\n");
  EXPECT_THAT(tables(), ElementsAre("scripts.public.t 3"));
  EXPECT_THAT(error_of("SELECT 'SELECT 1/0' \\gexec\n").what(),
              HasSubstr("a.sql:1: division by zero"));
}

TEST_F(ScriptSessionTest, KeepsTheResultsOfAQueryInVariables) {
  run("CREATE TABLE t (a int);\nSELECT 5 AS five, 'x' AS name \\gset p_\n"
      "\\if :{?p_five}\nINSERT INTO t VALUES (:p_five);\n\\endif\n"
      "SELECT 1/(:ROW_COUNT - 1);\n",
      OnError::kContinue);
  EXPECT_THAT(tables(), ElementsAre("scripts.public.t 1"));
  EXPECT_THAT(error_of("SELECT 1 AS a WHERE false \\gset\n").what(),
              HasSubstr("a.sql:1: \\gset: the query returned 0 rows"));
}

TEST_F(ScriptSessionTest, LetsAScriptAskHowItsStatementsWent) {
  run("CREATE TABLE t (a text);\nSELECT 1/0;\n"
      "\\if :ERROR\nINSERT INTO t VALUES (:'SQLSTATE');\n\\endif\n"
      "INSERT INTO t SELECT 'more' FROM generate_series(1, 2);\n"
      "INSERT INTO t VALUES (:'ROW_COUNT'), (:'DBNAME');\n",
      OnError::kContinue);
  EXPECT_THAT(tables(), ElementsAre("scripts.public.t 5"));
}

TEST_F(ScriptSessionTest, CopiesRowsFromFiles) {
  dir_.file("rows.csv", "a,b\n1,\"x\ny\"\n2,z");
  const std::string text =
      "CREATE TABLE t (a int, b text);\n"
      "\\copy t (a, b) from rows.csv with (format csv, header)\n"
      "\\copy t from stdin\n3\tw\n\\.\n";
  EXPECT_EQ(run(text).rows, 3U);
  dir_.file("rows.csv", "a,b\n1,x\n2,z,z\n");
  EXPECT_THAT(error_of("DROP TABLE t;\n" + text).what(),
              HasSubstr("rows.csv:3: extra data after last expected column"));
}

TEST_F(ScriptSessionTest, LoadsIncludedFiles) {
  dir_.file("b.sql", "INSERT INTO t VALUES (1);\nSELECT 1/0;\n");
  EXPECT_THAT(error_of("CREATE TABLE t (a int);\n\\i b.sql\n").what(),
              HasSubstr("b.sql:2: division by zero"));
}

TEST_F(ScriptSessionTest, InsertsManyInAMessageInsideATransaction) {
  std::string text = "CREATE TABLE t (a int PRIMARY KEY, b text);\n";
  for (int i = 0; i < 2000; ++i) {
    text += "INSERT INTO t VALUES (" + std::to_string(i) + ", 'Zürich');\n";
  }
  const ScriptWork work = run_at_once(text);
  EXPECT_EQ(work.statements, 2001U);
  EXPECT_EQ(work.rows, 2000U);
  EXPECT_THAT(tables(), ElementsAre("scripts.public.t 2000"));
  for (const bool pipeline : {true, false}) {
    try {
      run_at_once("DROP TABLE t;\n" + text +
                      "\n-- a comment\nINSERT INTO t VALUES (7,\n'ü', no);\n"
                      "INSERT INTO t VALUES (-1, '');\n",
                  OnError::kStop, pipeline);
      FAIL() << "the error was passed over";
    } catch (const base::Error& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr("a.sql:2006: column \"no\" does not exist"));
      EXPECT_THAT(error.hint(), HasSubstr("in INSERT INTO t VALUES (7,"));
    }
  }
  EXPECT_THAT(tables(), ElementsAre("scripts.public.t 2000"));
}

TEST_F(ScriptSessionTest, AnswersAScriptThatAsksInsideATransaction) {
  const auto path = dir_.file(
      "a.sql",
      "CREATE TABLE t (a int);\nBEGIN;\nINSERT INTO t VALUES (1), (2);\n"
      "INSERT INTO t VALUES (:ROW_COUNT);\nCOMMIT;\n"
      "SELECT 1 / (count(*) FILTER (WHERE a = 2) - 1) FROM t;\n");
  script::NeedsCollector needs;
  const script::Outline outline = script::read_outline(path, needs);
  ScriptSession session(
      {.endpoint = cluster_->endpoint(), .database = "scripts"},
      cluster_->interrupt(), bytes_sent_);
  session.begin({path, &outline});
  EXPECT_EQ(session.run_until(kToTheEnd).rows, 3U);
}

TEST_F(ScriptSessionTest, CountsErrorsBehindTheFirstAsPsqlDoes) {
  const std::string text =
      "CREATE TABLE t (a int);\nBEGIN;\nINSERT INTO t VALUES (1);\n"
      "INSERT INTO t VALUES ('x');\nINSERT INTO t VALUES (2);\n"
      "INSERT INTO t VALUES (3);\nCOMMIT;\nINSERT INTO t VALUES (4);\n";
  for (const bool pipeline : {true, false}) {
    const ScriptWork work = run("DROP TABLE IF EXISTS t;\n" + text,
                                {.endpoint = cluster_->endpoint(),
                                 .database = "scripts",
                                 .on_error = OnError::kContinue,
                                 .pipeline = pipeline});
    EXPECT_EQ(work.errors, 3U);
    EXPECT_THAT(tables(), ElementsAre("scripts.public.t 1"));
  }
}

TEST_F(ScriptSessionTest, SaysThatATransactionWasRolledBack) {
  try {
    run_at_once("CREATE TABLE t (a int);\nSELECT 1/0;\n", OnError::kContinue);
    FAIL() << "the rollback was passed over";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rolled back"));
  }
  EXPECT_THAT(tables(), testing::IsEmpty());
}

TEST_F(ScriptSessionTest, ExecutesWhatNoTransactionMayHold) {
  run("CREATE TABLE t (a int);\nCREATE INDEX CONCURRENTLY i ON t (a);\n"
      "VACUUM t;\n");
  EXPECT_THAT(tables(), ElementsAre("scripts.public.t 0"));
}

TEST_F(ScriptSessionTest, NamesTheStatementThatPassedTheTimeLimit) {
  const ScriptSession::Options options{.endpoint = cluster_->endpoint(),
                                       .database = "scripts"};
  for (const char* text :
       {"SELECT 1;\nSELECT pg_sleep(1000);\n",
        "SELECT 1;\nDO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$;\n"}) {
    try {
      run(text, options, base::Deadline::after(std::chrono::milliseconds(300)));
      FAIL() << text;
    } catch (const base::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("a.sql:2: "));
      EXPECT_THAT(error.what(), HasSubstr("time limit"));
    }
  }
}

TEST_F(ScriptSessionTest, NamesTheLineThatDropsTheDatabase) {
  EXPECT_THAT(
      error_of("SELECT 1;\n\\connect postgres\nDROP DATABASE scripts;\n")
          .what(),
      HasSubstr("a.sql:3: the script drops the database"));
  run("\\connect postgres\nCREATE DATABASE scripts;\n",
      {.endpoint = cluster_->endpoint(), .database = "postgres"});
  run("\\connect postgres\nDROP DATABASE scripts;\nCREATE DATABASE "
      "scripts;\n");
}

TEST_F(ScriptSessionTest, NoticesThatTheScriptChangedUnderIt) {
  const auto path = dir_.file(
      "a.sql", "CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n2\n\\.\n");
  script::NeedsCollector needs;
  const script::Outline outline = script::read_outline(path, needs);
  dir_.file("a.sql",
            "CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n3\n4\n\\.\n");
  ScriptSession session(
      {.endpoint = cluster_->endpoint(), .database = "scripts"},
      cluster_->interrupt(), bytes_sent_);
  session.begin({path, &outline});
  try {
    session.run_until(kToTheEnd);
    FAIL() << "the change was not noticed";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the file has changed"));
  }
}

TEST_F(ScriptSessionTest, ReadContentsIgnoresTheOrderOfRows) {
  run("CREATE TABLE a (x int, y text);\nCREATE TABLE b (x int, y text);\n"
      "INSERT INTO a SELECT i, 'r' || i FROM generate_series(1, 100) i;\n"
      "INSERT INTO b SELECT x, y FROM a ORDER BY x DESC;\n");
  const auto contents = read_contents(cluster_->endpoint(), {});
  ASSERT_EQ(contents.size(), 2U);
  EXPECT_EQ(contents[0].checksum, contents[1].checksum);
  run("UPDATE b SET y = 'other' WHERE x = 50;\n");
  EXPECT_NE(read_contents(cluster_->endpoint(), {})[1].checksum,
            contents[1].checksum);
}

TEST_F(ScriptSessionTest, ReadContentsOnlyCountsVolatileTables) {
  run("CREATE TABLE a (x timestamptz);\nINSERT INTO a VALUES (now());\n");
  const auto contents = read_contents(cluster_->endpoint(), {"public.a"});
  EXPECT_EQ(contents[0].rows, 1);
  EXPECT_EQ(contents[0].checksum, "");
}

}  // namespace
}  // namespace sidegrade::postgres
