#include "script/statement_kind.h"

#include <gtest/gtest.h>

#include <utility>

namespace sidegrade::script {
namespace {

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

TEST(Statements, ThatTieRowsTogetherAreFound) {
  for (const char* text :
       {"CREATE TABLE t (a int REFERENCES u);",
        "ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES u;",
        "CREATE TRIGGER x AFTER INSERT ON t;",
        "CREATE OR REPLACE RULE r AS ON INSERT TO t DO NOTHING;",
        "CREATE CONSTRAINT TRIGGER x AFTER INSERT ON t;",
        "CREATE TEMP TABLE t (a int);"}) {
    EXPECT_TRUE(ties_rows_together(text)) << text;
  }
  for (const char* text :
       {"CREATE TABLE t (\"references\" int DEFAULT 'foreign');",
        "CREATE FUNCTION f() RETURNS trigger AS 'references';",
        "GRANT REFERENCES ON t TO bob;", "INSERT INTO t VALUES (1);"}) {
    EXPECT_FALSE(ties_rows_together(text)) << text;
  }
}

TEST(Statements, TellTheDatabaseThatTheyDropOrCreate) {
  EXPECT_EQ(dropped_database("drop database if exists \"My Db\";"), "My Db");
  EXPECT_EQ(dropped_database("DROP DATABASE shop WITH (FORCE);"), "shop");
  EXPECT_EQ(dropped_database("DROP TABLE shop;"), "");
  EXPECT_EQ(created_database("CREATE DATABASE shop TEMPLATE template0;"),
            "shop");
}

}  // namespace
}  // namespace sidegrade::script
