#include "postgres/script_outline.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "support/temp_dir.h"

namespace sidegrade::postgres {
namespace {

using test::TempDir;
using testing::HasSubstr;

ScriptOutline outline_of(const std::string& text) {
  const TempDir dir;
  return outline_script(dir.file("a.sql", text));
}

TEST(ScriptOutline, FindsTheThreePartsOfADump) {
  const ScriptOutline outline = outline_of(
      "SET client_encoding = 'UTF8';\n"
      "CREATE TABLE t (a int);\n"
      "COPY t FROM stdin;\n1\n\\.\n"
      "SELECT pg_catalog.setval('s', 1);\n"
      "-- constraints\n"
      "ALTER TABLE ONLY t\n    ADD CONSTRAINT t_pkey PRIMARY KEY (a);\n"
      "CREATE INDEX i ON t (a);\n");
  EXPECT_EQ(outline.data_begin, 2);
  EXPECT_EQ(outline.data_end, 4);
  EXPECT_EQ(outline.steps, 6);
  EXPECT_TRUE(outline.has_indexes());
}

TEST(ScriptOutline, CountsIndexesBetweenDataAsData) {
  const ScriptOutline outline = outline_of(
      "INSERT INTO a VALUES (1);\nCREATE INDEX i ON a (x);\n"
      "INSERT INTO b VALUES (1);\n");
  EXPECT_EQ(outline.data_begin, 0);
  EXPECT_FALSE(outline.has_indexes());
}

TEST(ScriptOutline, TakesAScriptWithoutDataAsAllSchema) {
  const ScriptOutline outline =
      outline_of("CREATE TABLE t (a int);\nCREATE INDEX i ON t (a);\n");
  EXPECT_EQ(outline.data_begin, 2);
  EXPECT_EQ(outline.data_end, 2);
}

TEST(ScriptOutline, NamesTheCopyWhoseDataHaveNoEnd) {
  try {
    outline_of("CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n2\n");
    FAIL() << "a COPY block that was cut short was taken";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.sql:2: "));
  }
}

TEST(ScriptOutline, NamesABackslashCommandThatIsNotUnderstood) {
  try {
    outline_of("SELECT 1;\n\\i other.sql\n");
    FAIL() << "\\i was taken";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.sql:2: the backslash command \\i"));
    EXPECT_THAT(error.hint(), HasSubstr("client: psql"));
  }
}

class Kinds
    : public testing::TestWithParam<std::pair<const char*, StatementKind>> {};

TEST_P(Kinds, OfStatementsAreToldByTheirFirstWords) {
  EXPECT_EQ(classify_statement(GetParam().first), GetParam().second)
      << GetParam().first;
}

INSTANTIATE_TEST_SUITE_P(
    Statements, Kinds,
    testing::Values(
        std::pair{"COPY a.b (x) FROM stdin;", StatementKind::kData},
        std::pair{"/* c; */ -- d\ninsert into t values (1);",
                  StatementKind::kData},
        std::pair{"SELECT pg_catalog.setval('s', 2, true);",
                  StatementKind::kData},
        std::pair{"SELECT 1;", StatementKind::kOther},
        std::pair{"CREATE UNIQUE INDEX i ON t (a);", StatementKind::kPostData},
        std::pair{"CREATE TABLE t (a int);", StatementKind::kOther},
        std::pair{"CREATE CONSTRAINT TRIGGER x AFTER INSERT ON t;",
                  StatementKind::kPostData},
        std::pair{
            "ALTER TABLE ONLY a.\"b c\" ADD CONSTRAINT p PRIMARY KEY (i);",
            StatementKind::kPostData},
        std::pair{"ALTER TABLE t ADD COLUMN c int;", StatementKind::kOther},
        std::pair{"ALTER TABLE t OWNER TO bob;", StatementKind::kOther},
        std::pair{"ALTER INDEX i ATTACH PARTITION j;",
                  StatementKind::kPostData},
        std::pair{"REFRESH MATERIALIZED VIEW v;", StatementKind::kPostData}));

}  // namespace
}  // namespace sidegrade::postgres
