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
    ScriptSession session({.script = dir_.file("a.sql", text),
                           .endpoint = cluster_->endpoint(),
                           .database = "scripts",
                           .on_error = on_error},
                          cluster_->interrupt(), bytes_sent_);
    return session.run_until(kToTheEnd);
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
      {.script = dir_.file("a.sql",
                           "CREATE TEMP TABLE t (a int);\nINSERT INTO t VALUES "
                           "(1);\nINSERT INTO t VALUES (2);\n"),
       .endpoint = cluster_->endpoint(),
       .database = "scripts"},
      cluster_->interrupt(), bytes_sent_);
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
  EXPECT_EQ(work.notices, 1U);
  EXPECT_EQ(work.warnings, 1U);
  EXPECT_THAT(work.messages, ElementsAre("NOTICE: n", "WARNING: w"));
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
