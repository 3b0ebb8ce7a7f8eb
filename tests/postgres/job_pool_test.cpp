#include "postgres/job_pool.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "base/error_of.h"
#include "base/forked.h"
#include "base/interrupted.h"
#include "support/test_cluster.h"

namespace sidegrade::postgres {
namespace {

using test::TempDir;
using test::TestCluster;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class JobPoolTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = new TestCluster; }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }
  void SetUp() override { cluster_->renew_database("jobs"); }

  JobPool::Options options(OnError on_error = OnError::kStop) const {
    return {.endpoint = cluster_->endpoint(),
            .database = "jobs",
            .jobs = 2,
            .on_error = on_error};
  }
  JobPool& pool(OnError on_error = OnError::kStop) {
    if (!pool_) {
      pool_.emplace(options(on_error), cluster_->interrupt(), bytes_sent_);
    }
    return *pool_;
  }

  static void execute(const std::string& statement) {
    cluster_->execute(statement, "jobs");
  }
  /// Throws unless this SQL condition is true, at the latest in ten seconds.
  static void expect_soon(const std::string& condition) {
    execute("DO $$BEGIN FOR i IN 1..1000 LOOP IF " + condition +
            " THEN RETURN; END IF; PERFORM pg_sleep(0.01), "
            "pg_stat_clear_snapshot(); END LOOP; RAISE 'never true'; END$$");
  }
  static void expect(const std::string& condition) {
    execute("DO $$BEGIN ASSERT " + condition + "; END$$");
  }

  /// After a crash, once it takes connections again.
  static void wait_for_server() {
    const auto limit = base::Deadline::after(std::chrono::seconds(30));
    for (;;) {
      try {
        return execute("SELECT 1");
      } catch (const base::Error&) {
        if (limit.passed()) throw;
      }
    }
  }

  JobPool::Task task(const std::string& statement,
                     std::vector<std::string> tables = {}) {
    return {.statement = statement,
            .file = dir_.file("a.sql", ""),
            .line = 1,
            .tables = std::move(tables)};
  }
  JobPool::Task exclusive_task(const std::string& statement,
                               std::vector<std::string> tables) {
    JobPool::Task made = task(statement, std::move(tables));
    made.exclusive = true;
    return made;
  }
  /// COPY of the lines [first, last] of the file `path` that holds `text`.
  static JobPool::Task rows(const std::filesystem::path& path,
                            const std::string& text, const std::string& table,
                            int64_t first, int64_t last) {
    script::CopyRange range{.first_line = first, .lines = last - first + 1};
    for (int64_t line = 1; line <= last; ++line) {
      if (line == first) range.begin = range.end;
      range.end = text.find('\n', range.end) + 1;
    }
    return {.statement = "COPY " + table + " FROM stdin;",
            .file = path,
            .line = first - 1,
            .rows = range,
            .tables = {table}};
  }

  static inline TestCluster* cluster_ = nullptr;
  TempDir dir_;
  std::atomic<uint64_t> bytes_sent_{0};
  std::optional<JobPool> pool_;
};

TEST_F(JobPoolTest, BringsInRowsOfTablesAndPartsOfOne) {
  execute("CREATE TABLE a (x int); CREATE TABLE b (x int)");
  const std::string text =
      "COPY a FROM stdin;\n1\n2\n3\n4\n\\.\nCOPY b FROM stdin;\n10\n\\.\n";
  const auto path = dir_.file("a.sql", text);
  pool().submit(rows(path, text, "a", 2, 3));
  pool().submit(rows(path, text, "a", 4, 5));
  pool().submit(rows(path, text, "b", 8, 8));
  EXPECT_THAT(pool().wait(), IsEmpty());
  expect("(SELECT sum(x) FROM a) = 10 AND (SELECT sum(x) FROM b) = 10");
  const ScriptWork work = pool().take_work();
  EXPECT_EQ(work.rows, 5U);
  EXPECT_EQ(work.copy_bytes, 11U);
  EXPECT_EQ(bytes_sent_, 11U);
  EXPECT_EQ(work.statements, 3U);
}

TEST_F(JobPoolTest, TellsWhatEachConnectionDidAndTellsItOnce) {
  pool().submit(task("SELECT pg_sleep(0.02)"));
  pool().submit(task("SELECT pg_sleep(0.02)"));
  pool().wait();
  uint64_t statements = 0;
  double busy_s = 0;
  for (const JobWork& job : pool().take_work().jobs) {
    statements += job.statements;
    busy_s += job.busy_s;
  }
  EXPECT_EQ(statements, 2U);
  EXPECT_GE(busy_s, 0.04);
  EXPECT_EQ(pool().take_work().statements, 0U);
}

TEST_F(JobPoolTest, StartsNoMoreConnectionsThanTasks) {
  pool().submit(task("SELECT 1"));
  pool().wait();
  expect(
      "(SELECT count(*) FROM pg_stat_activity WHERE datname = 'jobs' AND "
      "pid <> pg_backend_pid()) = 1");
}

TEST_F(JobPoolTest, KeepsNoticesOfAllConnections) {
  for (int i = 0; i < 3; ++i) {
    pool().submit(task("DO $$BEGIN RAISE NOTICE 'n'; END$$"));
  }
  pool().wait();
  const ScriptWork work = pool().take_work();
  EXPECT_EQ(work.messages.notices, 3U);
  EXPECT_THAT(work.messages.first,
              ElementsAre("NOTICE: n", "NOTICE: n", "NOTICE: n"));
}

TEST_F(JobPoolTest, ConflictingBuildsAndKeysDoNotDeadlock) {
  execute(
      "CREATE TABLE a (x int, y int); CREATE TABLE b (x int, y int);"
      "INSERT INTO a SELECT i, i FROM generate_series(1, 1000) i;"
      "INSERT INTO b SELECT * FROM a");
  for (const std::string t : {"a", "b"}) {
    pool().submit(task("CREATE INDEX ON " + t + " (y)", {t}));
    pool().submit(
        exclusive_task("ALTER TABLE " + t + " ADD PRIMARY KEY (x)", {t}));
    pool().submit(task("CREATE INDEX ON " + t + " (x, y)", {t}));
  }
  EXPECT_THAT(pool().wait(), IsEmpty());
  for (int i = 0; i < 10; ++i) {
    pool().submit(exclusive_task(
        "ALTER TABLE a ADD FOREIGN KEY (y) REFERENCES b", {"a", "b"}));
    pool().submit(exclusive_task(
        "ALTER TABLE b ADD FOREIGN KEY (y) REFERENCES a", {"b", "a"}));
  }
  EXPECT_THAT(pool().wait(), IsEmpty());
  expect(
      "(SELECT count(*) FROM pg_constraint WHERE contype = 'f') = 20 AND "
      "(SELECT count(*) FROM pg_indexes WHERE schemaname = 'public') = 6");
}

TEST_F(JobPoolTest, NamesTheLineOfABadRowInASecondPart) {
  execute("CREATE TABLE a (x int)");
  const std::string text = "COPY a FROM stdin;\n1\n2\n3\nn/a\n\\.\n";
  const auto path = dir_.file("a.sql", text);
  pool().submit(rows(path, text, "a", 2, 3));
  pool().submit(rows(path, text, "a", 4, 5));
  const std::vector<StatementError> errors = pool().wait();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0].sentence,
              HasSubstr("a.sql:5: invalid input syntax for type integer: "
                        "\"n/a\" (SQLSTATE 22P02)"));
}

TEST_F(JobPoolTest, AnErrorKeepsLaterTasksFromRunning) {
  execute("CREATE TABLE a (x int)");
  pool().submit(exclusive_task("SELECT 1/0", {"a"}));
  pool().submit(exclusive_task("INSERT INTO a VALUES (1)", {"a"}));
  EXPECT_EQ(pool().wait().size(), 1U);
  expect("NOT EXISTS (SELECT FROM a)");
}

TEST_F(JobPoolTest, GoesOnAfterErrorsIfAskedAndTellsThemInOrder) {
  execute("CREATE TABLE a (x int)");
  JobPool& jobs = pool(OnError::kContinue);
  jobs.submit(task("SELECT pg_sleep(0.02), 1/0"));
  jobs.submit(task("SELECT no_such_column"));
  jobs.submit(task("INSERT INTO a VALUES (1)"));
  const std::vector<StatementError> errors = jobs.wait();
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].sqlstate, "22012");
  EXPECT_EQ(errors[1].sqlstate, "42703");
  expect("EXISTS (SELECT FROM a)");
  EXPECT_THAT(jobs.wait(), IsEmpty());
}

TEST_F(JobPoolTest, SettingsReachEachConnectionBeforeTheTasksBehindThem) {
  execute(
      "CREATE SCHEMA s; CREATE SCHEMA u; CREATE TABLE s.t (x int); "
      "CREATE TABLE u.t (x int)");
  JobPool& jobs = pool();
  for (const std::string schema : {"s", "u", "s"}) {
    jobs.add_setting("SET search_path = " + schema + ";  -- of " + schema);
    for (int i = 0; i < 5; ++i) {
      jobs.submit(task("INSERT INTO t SELECT 1 FROM pg_sleep(0.001)", {"t"}));
    }
  }
  EXPECT_THAT(jobs.wait(), IsEmpty());
  expect(
      "(SELECT count(*) FROM s.t) = 10 AND "
      "(SELECT count(*) FROM u.t) = 5");
  EXPECT_EQ(jobs.take_work().statements, 15U);
}

TEST_F(JobPoolTest, TheTimeLimitEndsATaskThatNeverReturns) {
  pool().set_deadline(base::Deadline::after(std::chrono::milliseconds(100)));
  pool().submit(task("SELECT pg_sleep(1000)"));
  pool().submit(task("SELECT 1"));
  EXPECT_THROW(pool().wait(), TimeLimitPassed);
  pool_.reset();
  expect_soon(
      "NOT EXISTS (SELECT FROM pg_stat_activity WHERE state = 'active' "
      "AND datname = 'jobs' AND pid <> pg_backend_pid())");
}

TEST_F(JobPoolTest, AnInterruptionEndsAllTasks) {
  EXPECT_TRUE(test::holds_when_forked([this] {
    const auto interrupt = base::Interrupt::on_signals();
    JobPool jobs(options(), interrupt, bytes_sent_);
    jobs.submit(task("SELECT pg_sleep(1000)"));
    jobs.submit(task("SELECT pg_sleep(1000)"));
    kill(getpid(), SIGTERM);
    return test::interrupted([&] { jobs.wait(); });
  }));
}

TEST_F(JobPoolTest, ALostConnectionIsNoSqlError) {
  pool(OnError::kContinue)
      .submit(task("SELECT pg_terminate_backend(pg_backend_pid())"));
  EXPECT_THROW(pool().wait(), ServerLost);
}

TEST_F(JobPoolTest, AKilledServerEndsAllTasks) {
  pool().submit(task("SELECT pg_sleep(1000)"));
  pool().submit(
      task("COPY (SELECT pg_sleep(0.02)) TO PROGRAM "
           "'kill -9 $PPID'"));
  EXPECT_THROW(pool().wait(), ServerLost);
  pool_.reset();
  wait_for_server();
}

TEST_F(JobPoolTest, AFileThatIsGoneIsNoSqlError) {
  JobPool::Task lost = task("SELECT 1");
  lost.file = dir_ / "gone.sql";
  pool(OnError::kContinue).submit(lost);
  EXPECT_THAT(test::error_of([this] { pool().wait(); }),
              HasSubstr("gone.sql could not be opened"));
}

TEST_F(JobPoolTest, AFailedConnectionIsAnError) {
  JobPool::Options wrong = options();
  wrong.database = "nowhere";
  JobPool jobs(wrong, cluster_->interrupt(), bytes_sent_);
  jobs.submit(task("SELECT 1"));
  EXPECT_THAT(test::error_of([&] { jobs.wait(); }),
              HasSubstr("\"nowhere\" does not exist"));
}

TEST_F(JobPoolTest, DestroyedAtWorkItLeavesNothingRunning) {
  for (int i = 0; i < 5; ++i) pool().submit(task("SELECT pg_sleep(1000)"));
  expect_soon(
      "(SELECT count(*) FROM pg_stat_activity WHERE state = 'active' "
      "AND query = 'SELECT pg_sleep(1000)') = 2");
  pool_.reset();
  expect(
      "NOT EXISTS (SELECT FROM pg_stat_activity WHERE state = 'active' AND "
      "query = 'SELECT pg_sleep(1000)')");
}

TEST_F(JobPoolTest, DestroyedBeforeItsTasksBeginItEnds) {
  for (int i = 0; i < 5; ++i) pool().submit(task("SELECT pg_sleep(1000)"));
  pool_.reset();
  expect(
      "NOT EXISTS (SELECT FROM pg_stat_activity WHERE state = 'active' AND "
      "query = 'SELECT pg_sleep(1000)')");
}

}  // namespace
}  // namespace sidegrade::postgres
