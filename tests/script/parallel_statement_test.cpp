#include "script/parallel_statement.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace sidegrade::script {
namespace {

/// "rows t by line", "foreign key t r exclusive", "alone" …
std::string told(std::string_view text) {
  constexpr const char* kNames[] = {"alone",       "rows",    "build",
                                    "foreign key", "setting", "comment"};
  const ParallelStatement statement = parallel_statement(text);
  std::vector<std::string> words = {kNames[static_cast<int>(statement.kind)]};
  words.insert(words.end(), statement.tables.begin(), statement.tables.end());
  if (statement.exclusive) words.emplace_back("exclusive");
  if (statement.line_is_row) words.emplace_back("by line");
  return base::join(words, " ");
}

TEST(ParallelStatement, RowsOfPlainCopyAreLines) {
  EXPECT_EQ(told("COPY t FROM stdin;"), "rows t by line");
  EXPECT_EQ(told("copy T from STDIN"), "rows t by line");
  EXPECT_EQ(told("COPY public.t (a, b) FROM stdin;"), "rows t by line");
  EXPECT_EQ(told("-- a comment\nCOPY \"s.1\".\"T \"\"x\" FROM stdin;"),
            "rows T \"x by line");
}

TEST(ParallelStatement, OptionsMayMakeARowOfSeveralLines) {
  EXPECT_EQ(told("COPY t FROM STDIN WITH (FORMAT csv, HEADER);"), "rows t");
  EXPECT_EQ(told("COPY t (a) FROM STDIN CSV;"), "rows t");
  EXPECT_EQ(told("COPY t FROM STDIN DELIMITER ',';"), "rows t");
  EXPECT_EQ(told("COPY BINARY t FROM STDIN;"), "rows t");
}

TEST(ParallelStatement, FreezeNeedsTheTransactionThatMadeTheTable) {
  EXPECT_EQ(told("COPY t FROM STDIN (FREEZE);"), "alone");
  EXPECT_EQ(told("COPY t FROM STDIN WITH FREEZE;"), "alone");
}

TEST(ParallelStatement, OtherCopiesStayAlone) {
  EXPECT_EQ(told("COPY t TO STDOUT;"), "alone");
  EXPECT_EQ(told("COPY (SELECT 1) TO STDOUT;"), "alone");
  EXPECT_EQ(told("COPY t FROM '/tmp/t.csv';"), "alone");
  EXPECT_EQ(told("COPY t FROM PROGRAM 'cat';"), "alone");
}

TEST(ParallelStatement, IndexesOfOneTableAreBuiltAtOnce) {
  EXPECT_EQ(told("CREATE INDEX i ON s.t USING btree (a, b);"), "build t");
  EXPECT_EQ(told("CREATE UNIQUE INDEX i ON t (a) WHERE b > 1;"), "build t");
  EXPECT_EQ(told("CREATE INDEX IF NOT EXISTS i ON ONLY public.t (a);"),
            "build t");
  EXPECT_EQ(told("CREATE INDEX ON t (lower(a));"), "build t");
  EXPECT_EQ(told("CREATE INDEX \"on\" ON \"On\" (a);"), "build On");
}

TEST(ParallelStatement, WhatATransactionCannotHoldStaysAlone) {
  EXPECT_EQ(told("CREATE INDEX CONCURRENTLY i ON t (a);"), "alone");
  EXPECT_EQ(told("CREATE UNIQUE INDEX CONCURRENTLY ON t (a);"), "alone");
}

TEST(ParallelStatement, KeysAndChecksHaveTheirTableForThemselves) {
  EXPECT_EQ(told("ALTER TABLE ONLY public.t\n"
                 "    ADD CONSTRAINT t_pkey PRIMARY KEY (a, b);"),
            "build t exclusive");
  EXPECT_EQ(told("ALTER TABLE IF EXISTS t ADD UNIQUE (a);"),
            "build t exclusive");
  EXPECT_EQ(told("ALTER TABLE t ADD CONSTRAINT u UNIQUE NULLS NOT DISTINCT "
                 "(a) WITH (fillfactor=70, deduplicate_items=off);"),
            "build t exclusive");
  EXPECT_EQ(told("ALTER TABLE t ADD PRIMARY KEY (a) USING INDEX TABLESPACE s;"),
            "build t exclusive");
  EXPECT_EQ(told("ALTER TABLE t ADD CONSTRAINT e EXCLUDE USING gist "
                 "(a WITH =, b WITH &&);"),
            "build t exclusive");
  EXPECT_EQ(told("ALTER TABLE t ADD CONSTRAINT c CHECK (((a > 0) AND f(b, "
                 "', '))) NOT VALID;"),
            "build t exclusive");
}

TEST(ParallelStatement, ForeignKeysLockBothTables) {
  EXPECT_EQ(told("ALTER TABLE ONLY a ADD CONSTRAINT k FOREIGN KEY (x, y) "
                 "REFERENCES s.b(x, y) ON DELETE CASCADE;"),
            "foreign key a b exclusive");
  EXPECT_EQ(told("ALTER TABLE a ADD FOREIGN KEY (x) REFERENCES a;"),
            "foreign key a a exclusive");
}

TEST(ParallelStatement, OtherAlterationsStayAlone) {
  EXPECT_EQ(told("ALTER TABLE t ADD CONSTRAINT p PRIMARY KEY USING INDEX i;"),
            "alone");
  EXPECT_EQ(told("ALTER TABLE t ADD UNIQUE (a), ADD CHECK (a > 0);"), "alone");
  EXPECT_EQ(told("ALTER TABLE t ADD a int, ADD UNIQUE (a);"), "alone");
  EXPECT_EQ(told("ALTER TABLE t ADD COLUMN a int;"), "alone");
  EXPECT_EQ(told("ALTER TABLE t ADD exclude int;"), "alone");
  EXPECT_EQ(told("ALTER TABLE t OWNER TO me;"), "alone");
  EXPECT_EQ(told("ALTER INDEX i ATTACH PARTITION j;"), "alone");
  EXPECT_EQ(told("ALTER TABLE ONLY t ALTER COLUMN a SET DEFAULT 1;"), "alone");
}

TEST(ParallelStatement, SettingsAreForEachConnection) {
  EXPECT_EQ(told("SET search_path = public, pg_catalog;"), "setting");
  EXPECT_EQ(told("SET SESSION AUTHORIZATION 'me';"), "setting");
  EXPECT_EQ(told("set session work_mem to '1GB'"), "setting");
  EXPECT_EQ(told("RESET ALL;"), "setting");
  EXPECT_EQ(told("SELECT pg_catalog.set_config('search_path', '', false);"),
            "setting");
}

TEST(ParallelStatement, SettingsOfATransactionStayAlone) {
  EXPECT_EQ(told("SET LOCAL work_mem = '1GB';"), "alone");
  EXPECT_EQ(told("SET CONSTRAINTS ALL DEFERRED;"), "alone");
  EXPECT_EQ(told("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;"), "alone");
  EXPECT_EQ(told("SELECT set_config('search_path', '', true);"), "alone");
}

TEST(ParallelStatement, CommentsMayWait) {
  EXPECT_EQ(told("COMMENT ON INDEX i IS 'it''s; fine';"), "comment");
}

TEST(ParallelStatement, AllElseStaysAlone) {
  for (const auto* text :
       {"", ";", "-- nothing", "INSERT INTO t VALUES (1);", "COPY",
        "ALTER TABLE t ADD", "CREATE INDEX", "CREATE TABLE t (a int);",
        "SELECT pg_catalog.setval('s', 3, true);", "BEGIN;",
        "SELECT set_config('a', 'b', false), f();", "\"copy\" t FROM stdin",
        "ALTER TABLE t ADD FOREIGN KEY (a", "COPY t (a"}) {
    EXPECT_EQ(told(text), "alone") << text;
  }
}

TEST(ParallelStatement, SeveralStatementsInOneStayAlone) {
  EXPECT_EQ(told("SET a.b = 1; CREATE TABLE t (a int);"), "alone");
  EXPECT_EQ(told("CREATE INDEX ON t (a); DROP TABLE t;"), "alone");
}

}  // namespace
}  // namespace sidegrade::script
