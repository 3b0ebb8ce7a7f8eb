// Public dumps and small nasty cases, loaded by us and by psql: pg_dump must
// find no difference between the two databases.
#include "support/public_scripts.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "postgres/psql.h"
#include "postgres/script_session.h"
#include "script/outline.h"
#include "support/test_cluster.h"

namespace sidegrade::postgres {
namespace {

namespace fs = std::filesystem;
using test::Load;
using test::scripts_directory;
using test::test_name;
using test::TestCluster;

constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();
constexpr const char* kDatabase = "loaded";

/// Two clusters, so that what one load leaves outside its database (roles,
/// further databases) is left in both alike.
class PublicScripts : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ours_ = new TestCluster;
    psqls_ = new TestCluster;
  }
  static void TearDownTestSuite() {
    delete ours_;
    delete psqls_;
  }
  void SetUp() override {
    if (!fs::exists(scripts_directory())) {
      GTEST_SKIP() << scripts_directory() << " is not there";
    }
  }

  /// Makes the cluster as new but for an empty database.
  static void renew(TestCluster& cluster) {
    for (const std::string& name : databases(cluster)) {
      cluster.execute("DROP DATABASE " + quote_identifier(name) +
                      " WITH (FORCE)");
    }
    for (const std::string& name :
         names(cluster,
               "SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_' AND "
               "rolname <> 'postgres'")) {
      cluster.execute("DROP ROLE " + quote_identifier(name));
    }
    cluster.renew_database(kDatabase);
  }
  static void renew_databases() {
    renew(*ours_);
    renew(*psqls_);
  }

  /// Loads with our client; the error it ends with, or nothing.
  static std::string load_ourselves(const fs::path& file,
                                    ScriptSession::Options options,
                                    ScriptWork* work = nullptr) {
    try {
      options.endpoint = ours_->endpoint();
      options.database = kDatabase;
      script::NeedsCollector needs;
      const script::Outline outline = script::read_outline(file, needs);
      std::atomic<uint64_t> bytes{0};
      ScriptSession session(options, ours_->interrupt(), bytes);
      session.begin({file, &outline, tie_.empty()});
      ScriptWork done = session.run_until(kToTheEnd);
      if (tie_.empty()) tie_ = outline.first_tie;
      if (work != nullptr) *work = std::move(done);
      return "";
    } catch (const base::Error& error) {
      return error.what();
    }
  }

  std::string load_with_psql(const fs::path& file, OnError on_error) {
    try {
      run_psql(
          psql_command(
              psqls_->spec(), psqls_->endpoint(),
              {.database = kDatabase, .script = file, .on_error = on_error}),
          psqls_->interrupt());
      return "";
    } catch (const base::Error& error) {
      return error.what();
    }
  }

  /// Everything that pg_dump knows of all databases, but for the contents of
  /// volatile tables.
  static std::string dump(TestCluster& cluster, const std::string& database,
                          const std::vector<std::string>& volatile_tables) {
    base::Command command{
        .argv = {cluster.spec().installation.program("pg_dump").string(),
                 "--restrict-key=x", "--host",
                 cluster.endpoint().socket_directory.string(), "--username",
                 "postgres", "--dbname", database}};
    for (const std::string& table : volatile_tables) {
      command.argv.push_back("--exclude-table-data=" + table);
    }
    return base::run_checked(command);
  }

  static std::vector<std::string> databases(TestCluster& cluster) {
    return names(cluster,
                 "SELECT datname FROM pg_database WHERE NOT datistemplate AND "
                 "datname <> 'postgres' ORDER BY 1");
  }

  static std::vector<std::string> names(TestCluster& cluster,
                                        const std::string& query) {
    const std::string text = base::run_checked(
        {.argv = {cluster.spec().installation.program("psql").string(),
                  "--no-psqlrc", "--tuples-only", "--no-align", "--host",
                  cluster.endpoint().socket_directory.string(), "--username",
                  "postgres", "--command", query}});
    std::vector<std::string> lines = base::split(base::trim(text), '\n');
    std::erase(lines, "");
    return lines;
  }

  enum class Rows { kInOrder, kInAnyOrder };

  static std::string sorted_lines(const std::string& text) {
    std::vector<std::string> lines = base::split(text, '\n');
    std::sort(lines.begin(), lines.end());
    return base::join(lines, "\n");
  }

  /// The first line that is not the same, of both.
  static std::string first_difference(const std::string& ours,
                                      const std::string& psqls) {
    const auto our_lines = base::split(ours, '\n');
    const auto psql_lines = base::split(psqls, '\n');
    for (size_t i = 0; i < std::min(our_lines.size(), psql_lines.size()); ++i) {
      if (our_lines[i] != psql_lines[i]) {
        return "ours:  " + our_lines[i] + "\npsql's: " + psql_lines[i];
      }
    }
    return "one has more lines";
  }

  static void expect_equal_databases(
      const std::vector<std::string>& volatile_tables, Rows rows) {
    const std::vector<std::string> names = databases(*psqls_);
    ASSERT_EQ(databases(*ours_), names);
    for (const std::string& name : names) {
      std::string ours = dump(*ours_, name, volatile_tables);
      std::string psqls = dump(*psqls_, name, volatile_tables);
      if (rows == Rows::kInAnyOrder) {
        ours = sorted_lines(ours);
        psqls = sorted_lines(psqls);
      }
      EXPECT_TRUE(ours == psqls)
          << "pg_dump differs in database " << name << ":\n"
          << first_difference(ours, psqls);
      EXPECT_FALSE(ours.empty());
    }
  }

  static inline std::string tie_;  ///< of rows, in the files loaded before
  static inline TestCluster* ours_ = nullptr;
  static inline TestCluster* psqls_ = nullptr;
};

class PublicDumps : public PublicScripts,
                    public testing::WithParamInterface<Load> {};

TEST_P(PublicDumps, LoadAsPsqlLoadsThem) {
  const Load& load = GetParam();
  const test::TempDir unpacked;
  uint64_t errors = 0;
  renew_databases();
  tie_.clear();
  for (const fs::path& packed : load.files) {
    const fs::path file = test::unpack(packed, unpacked);
    if (load.errors == 0) {
      EXPECT_EQ(load_ourselves(file, {}), "") << file;
      EXPECT_EQ(load_with_psql(file, OnError::kStop), "") << file;
    } else {
      ScriptWork work;
      EXPECT_EQ(load_ourselves(file, {.on_error = OnError::kContinue}, &work),
                "")
          << file;
      errors += work.errors;
      load_with_psql(file, OnError::kContinue);
    }
  }
  EXPECT_EQ(errors, static_cast<uint64_t>(load.errors));
  expect_equal_databases(load.volatile_tables, Rows::kInOrder);
  if (load.errors > 0) return;  // what is left of these depends on the order

  // Once more over several connections, which changes the order of rows alone.
  renew(*ours_);
  tie_.clear();
  for (const fs::path& packed : load.files) {
    const fs::path file = test::unpack(packed, unpacked);
    EXPECT_EQ(load_ourselves(file, {.jobs = 3, .split_tables = true}), "")
        << file;
  }
  expect_equal_databases(load.volatile_tables, Rows::kInAnyOrder);
}

/// psql -1 makes of these what psql makes; others connect elsewhere on the way.
bool fits_one_transaction(const Load& load, const test::TempDir& unpacked) {
  return std::none_of(load.files.begin(), load.files.end(),
                      [&](const fs::path& packed) {
                        const std::string text =
                            base::read_file(test::unpack(packed, unpacked));
                        return text.find("\n\\c") != std::string::npos;
                      });
}

/// Where rows lie differs: what is updated leaves no room before the end.
TEST_P(PublicDumps, LoadTheSameInOneTransaction) {
  const Load& load = GetParam();
  const test::TempDir unpacked;
  if (load.errors > 0 || !fits_one_transaction(load, unpacked)) return;
  renew_databases();
  std::atomic<uint64_t> bytes{0};
  ScriptSession session({.endpoint = ours_->endpoint(), .database = kDatabase},
                        ours_->interrupt(), bytes);
  session.begin_transaction();
  for (const fs::path& packed : load.files) {
    const fs::path file = test::unpack(packed, unpacked);
    session.begin({file});
    session.run_until(kToTheEnd);
    EXPECT_EQ(load_with_psql(file, OnError::kStop), "") << file;
  }
  session.commit();
  expect_equal_databases(load.volatile_tables, Rows::kInAnyOrder);
}

INSTANTIATE_TEST_SUITE_P(All, PublicDumps,
                         testing::ValuesIn(test::loads_of_text()),
                         [](const auto& test) {
                           return test_name(test.param.name);
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PublicDumps);

TEST_F(PublicScripts, EveryFormOfCopyLoadsAsWithPsql) {
  const test::TempDir folder;
  const fs::path file = folder.file(
      "copy.sql",
      "create table t (a int, b text, c text);\n"
      "copy t from stdin;\n1\tx\\ty\t\\N\n2\tback\\\\slash\tnew\\nline\n\\.\n"
      "Copy t (b, a) FROM STDIN WITH DELIMITER '|' NULL 'none';\n"
      "x|3\nnone|4\n\\.\n"
      "COPY t FROM stdin (FORMAT csv, HEADER, QUOTE '\"', FORCE_NULL (c));\n"
      "a,b,c\n5,\"quoted\nnewline, and \"\"quotes\"\"\",\"\"\n6,,\n\\.\n"
      "COPY t FROM stdin CSV DELIMITER ';';\n7;'x;y\n\\.\n"
      "COPY public.t (a) FROM stdin WHERE a > 8;\n8\n9\n\\.\n"
      "COPY \"t\" FROM stdin WITH (FORMAT text, HEADER true);\n"
      "a\tb\tc\n10\tx\ty\n\\.\n"
      "COPY t FROM stdin WITH (ENCODING 'LATIN1');\n11\t\xfc\t\n\\.\n"
      "BEGIN;\nCREATE TABLE f (a int);\nCOPY f FROM stdin WITH (FREEZE);\n"
      "1\n\\.\nCOMMIT;\n"
      "COPY t FROM stdin;\n\\.\n"
      "COPY t TO STDOUT;\nSELECT 1;\n");
  for (const int jobs : {1, 2}) {
    renew_databases();
    tie_.clear();
    EXPECT_EQ(load_ourselves(file, {.jobs = jobs, .split_tables = jobs > 1}),
              "");
    EXPECT_EQ(load_with_psql(file, OnError::kStop), "");
    expect_equal_databases({}, Rows::kInAnyOrder);
  }
}

struct Case {
  friend void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

  std::string name;
  OnError on_error = OnError::kStop;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  std::error_code absent;
  for (const auto& entry :
       fs::directory_iterator(scripts_directory() / "cases", absent)) {
    for (const OnError on_error : {OnError::kStop, OnError::kContinue}) {
      cases.push_back({entry.path().filename(), on_error});
    }
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

/// Number of errors that psql found, per expected.txt, in this mode.
int expected_errors(const fs::path& file, OnError on_error) {
  const std::string text = base::read_file(file);
  const size_t mode = text.find(
      on_error == OnError::kStop ? "[ON_ERROR_STOP=1]" : "[ON_ERROR_STOP=0]");
  const size_t errors = text.find("errors: ", mode);
  return std::stoi(text.substr(errors + 8));
}

class PublicCases : public PublicScripts,
                    public testing::WithParamInterface<Case> {};

TEST_P(PublicCases, EndAsPsqlEndsThem) {
  const Case& one = GetParam();
  const fs::path directory = scripts_directory() / "cases" / one.name;
  const fs::path input = directory / "input.sql";
  if (one.name == "51-copy-without-terminator") {
    // psql takes what follows as rows; a measurement must not.
    script::NeedsCollector needs;
    EXPECT_THROW(script::read_outline(input, needs), base::Error);
    return;
  }
  renew_databases();
  ScriptWork work;
  const std::string error =
      load_ourselves(input, {.on_error = one.on_error}, &work);
  load_with_psql(input, one.on_error);
  const int expected =
      expected_errors(directory / "expected.txt", one.on_error);
  const int errors = static_cast<int>(work.errors) + (error.empty() ? 0 : 1);
  EXPECT_EQ(errors, expected) << error;
  expect_equal_databases({}, Rows::kInOrder);
}

INSTANTIATE_TEST_SUITE_P(
    All, PublicCases, testing::ValuesIn(all_cases()), [](const auto& test) {
      return test_name(test.param.name) +
             (test.param.on_error == OnError::kStop ? "_stop" : "_continue");
    });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PublicCases);

}  // namespace
}  // namespace sidegrade::postgres
