#include "script/needs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "script/reader.h"
#include "support/public_scripts.h"
#include "support/temp_dir.h"

namespace sidegrade::script {

static void PrintTo(const Need& need, std::ostream* out) {
  *out << need.place << ": " << static_cast<int>(need.kind) << " " << need.name;
}

namespace {

using test::TempDir;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

std::vector<Need> needs_of(const std::vector<std::string>& statements,
                           const LexerSettings& settings = {}) {
  NeedsCollector collector;
  int64_t line = 0;
  for (const std::string& statement : statements)
    collector.read(statement, settings, "a.sql", ++line);
  return collector.needs();
}

/// "role bob" and the like, in order.
std::vector<std::string> words_of(const std::vector<Need>& needs) {
  constexpr const char* kKinds[] = {"role", "extension", "collation", "locale"};
  std::vector<std::string> words;
  for (const Need& need : needs) {
    words.push_back(
        fmt::format("{} {}", kKinds[static_cast<int>(need.kind)], need.name));
  }
  return words;
}

struct Case {
  friend void PrintTo(const Case& one, std::ostream* out) {
    *out << one.statement;
  }

  const char* statement;
  std::vector<std::string> needs;
};

class Statements : public testing::TestWithParam<Case> {};

TEST_P(Statements, NeedWhatTheyNameAndNothingElse) {
  EXPECT_THAT(words_of(needs_of({GetParam().statement})),
              ElementsAreArray(GetParam().needs));
}

INSTANTIATE_TEST_SUITE_P(
    OfRoles, Statements,
    testing::Values(
        Case{"ALTER TABLE a.t OWNER TO Bob;", {"role bob"}},
        Case{"ALTER FUNCTION f(owner text, b int) OWNER TO \"B\"\"b\";",
             {"role B\"b"}},
        Case{"ALTER LARGE OBJECT 5 OWNER TO bob;", {"role bob"}},
        Case{"CREATE SCHEMA s AUTHORIZATION bob;", {"role bob"}},
        Case{"CREATE SCHEMA IF NOT EXISTS AUTHORIZATION bob;", {"role bob"}},
        Case{"GRANT SELECT (a, b), UPDATE ON TABLE t TO a, GROUP b, PUBLIC "
             "WITH GRANT OPTION GRANTED BY c;",
             {"role a", "role b", "role c"}},
        Case{"GRANT a, b TO c WITH ADMIN OPTION;",
             {"role a", "role b", "role c"}},
        Case{"REVOKE GRANT OPTION FOR ALL ON SCHEMA s FROM bob CASCADE;",
             {"role bob"}},
        Case{"REVOKE ADMIN OPTION FOR a FROM b;", {"role a", "role b"}},
        Case{"SET ROLE bob;", {"role bob"}},
        Case{"SET LOCAL ROLE TO 'bob';", {"role bob"}},
        Case{"SET SESSION AUTHORIZATION 'bob';", {"role bob"}},
        Case{"SET SESSION SESSION AUTHORIZATION bob;", {"role bob"}},
        Case{"ALTER DEFAULT PRIVILEGES FOR ROLE a, b IN SCHEMA s "
             "GRANT ALL ON TABLES TO c;",
             {"role a", "role b", "role c"}},
        Case{"ALTER DEFAULT PRIVILEGES REVOKE ALL ON TYPES FROM c;",
             {"role c"}},
        Case{"CREATE POLICY p ON t FOR SELECT TO a, b USING (c = 'to d');",
             {"role a", "role b"}},
        Case{"ALTER POLICY p ON t TO a;", {"role a"}},
        Case{"CREATE USER MAPPING IF NOT EXISTS FOR a SERVER s;", {"role a"}},
        Case{"ALTER USER MAPPING FOR a SERVER s OPTIONS (user 'b');",
             {"role a"}},
        Case{"ALTER ROLE a SET search_path TO b, c;", {"role a"}},
        Case{"ALTER GROUP g ADD USER a, b;", {"role g", "role a", "role b"}},
        Case{"CREATE ROLE x LOGIN IN ROLE a, b ADMIN c;",
             {"role a", "role b", "role c"}},
        Case{"COMMENT ON ROLE a IS 'b';", {"role a"}},
        Case{"SECURITY LABEL FOR p ON ROLE a IS 'b';", {"role a"}},
        Case{"REASSIGN OWNED BY a, b TO c;", {"role a", "role b", "role c"}},
        Case{"DROP OWNED BY a;", {"role a"}}, Case{"DROP ROLE a;", {"role a"}},
        Case{"CREATE DATABASE d WITH ENCODING 'UTF8' OWNER = a;", {"role a"}},
        Case{"CREATE TABLESPACE s OWNER a LOCATION '/x';", {"role a"}}));

INSTANTIATE_TEST_SUITE_P(
    OfExtensionsAndCollations, Statements,
    testing::Values(
        Case{"CREATE EXTENSION IF NOT EXISTS \"uuid-ossp\" WITH SCHEMA s;",
             {"extension uuid-ossp"}},
        Case{"CREATE EXTENSION hstore;", {"extension hstore"}},
        Case{"CREATE OR REPLACE PROCEDURAL LANGUAGE plperl;",
             {"extension plperl"}},
        Case{"CREATE TABLE t (a text COLLATE pg_catalog.\"de_DE\" NOT NULL);",
             {"collation de_DE"}},
        Case{"CREATE INDEX i ON t (a COLLATE \"sv_SE\");", {"collation sv_SE"}},
        Case{"ALTER TABLE t ALTER a TYPE text COLLATE \"x\";", {"collation x"}},
        Case{"CREATE TYPE r AS RANGE (subtype = text, collation = s.\"de\");",
             {"collation de"}},
        Case{"CREATE COLLATION c FROM \"de_DE\";", {"collation de_DE"}},
        Case{"CREATE COLLATION c (provider = libc, locale = 'de_DE.utf8');",
             {"locale de_DE.utf8"}},
        Case{"CREATE DATABASE d LOCALE_PROVIDER = icu LC_COLLATE = 'a' "
             "LC_CTYPE 'b' ICU_LOCALE 'c';",
             {"locale a", "locale b"}}));

INSTANTIATE_TEST_SUITE_P(
    OfNothing, Statements,
    testing::Values(
        Case{"REVOKE ALL ON SCHEMA public FROM PUBLIC;", {}},
        Case{"GRANT ALL ON t TO postgres, pg_monitor, CURRENT_USER;", {}},
        Case{"SET SESSION AUTHORIZATION DEFAULT;", {}},
        Case{"SET ROLE NONE;", {}}, Case{"SET role_of_bob.x = 1;", {}},
        Case{"ALTER ROLE ALL SET work_mem = 1;", {}},
        Case{"ALTER TABLE t RENAME owner TO boss;", {}},
        Case{"ALTER TABLE t RENAME COLUMN owner TO boss;", {}},
        Case{"ALTER POLICY p ON t RENAME TO q;", {}},
        Case{"ALTER SEQUENCE s OWNED BY t.a;", {}},
        Case{"CREATE TABLE owner (owner text, \"collate\" text);", {}},
        Case{"CREATE TABLE t (a text DEFAULT ' COLLATE x');", {}},
        Case{"CREATE /* COLLATE x */ TABLE t () -- COLLATE y", {}},
        Case{"CREATE FUNCTION f() RETURNS void AS $_$ SET ROLE a; SELECT 'a' "
             "COLLATE b $_$ LANGUAGE sql;",
             {}},
        Case{"COMMENT ON TABLE t IS 'ALTER TABLE t OWNER TO a';", {}},
        Case{"INSERT INTO t VALUES ('a' COLLATE b);", {}},
        Case{"DROP ROLE IF EXISTS a;", {}},
        Case{"DROP USER MAPPING IF EXISTS FOR a SERVER s;", {}},
        Case{"DROP EXTENSION hstore;", {}},
        Case{"CREATE LANGUAGE x HANDLER f;", {}},
        Case{"CREATE PROCEDURAL LANGUAGE plpgsql;", {}},
        Case{"CREATE EXTENSION IF NOT EXISTS plpgsql;", {}},
        Case{"CREATE COLLATION c (provider = 'icu', locale = 'de');", {}},
        Case{"", {}}, Case{";", {}}, Case{"GRANT", {}},
        Case{"GRANT a.", {"role a"}}));

TEST(ScriptNeeds, NameThePlaceOfTheFirstUse) {
  EXPECT_THAT(needs_of({"SELECT 1", "ALTER TABLE t OWNER TO a",
                        "ALTER TABLE u OWNER TO a"}),
              ElementsAre(Need{NeedKind::kRole, "a", "a.sql:2"}));
}

TEST(ScriptNeeds, LeaveOutWhatTheScriptsMakeBefore) {
  EXPECT_THAT(needs_of({"CREATE ROLE a", "CREATE USER \"B\" PASSWORD 'x'",
                        "GRANT a TO \"B\"", "ALTER ROLE a RENAME TO c",
                        "ALTER TABLE t OWNER TO c",
                        "CREATE COLLATION s.german (locale = 'C')",
                        "CREATE TABLE t (x text COLLATE s.german)"}),
              ElementsAre(Need{NeedKind::kLocale, "C", "a.sql:6"}));
}

TEST(ScriptNeeds, HoldWhatIsMadeOnlyAfterItsUse) {
  EXPECT_THAT(words_of(needs_of({"SET ROLE a", "CREATE ROLE a"})),
              ElementsAre("role a"));
}

TEST(ScriptNeeds, KnowTheRolesThatADoBlockMakes) {
  EXPECT_THAT(needs_of({"DO $$ BEGIN IF true THEN CREATE ROLE a; END IF; END $$"
                        " LANGUAGE plpgsql;",
                        "GRANT SELECT ON t TO a"}),
              IsEmpty());
}

TEST(ScriptNeeds, ReadBackslashesInStringsAsTheSessionWould) {
  const std::string statement =
      R"(CREATE TABLE t (a text DEFAULT '\' COLLATE b)";
  EXPECT_THAT(words_of(needs_of({statement})), ElementsAre("collation b"));
  EXPECT_THAT(needs_of({statement}, {.standard_strings = false}), IsEmpty());
}

void read_file(const std::filesystem::path& path, NeedsCollector& collector) {
  const Variables variables(
      [](const std::string&) -> std::optional<std::string> { return {}; });
  Reader reader(path, variables, Reading::kLookingAhead);
  const std::string name = path.filename();
  Reader::Item item;
  while (reader.next({}, item)) {
    const auto* statement = std::get_if<Statement>(&item);
    if (!statement) continue;
    collector.read(statement->text, {}, name, statement->line);
    for (int i = 0; i < statement->copies_from_stdin; ++i) {
      while (!reader.file().next_copy_piece().last) {
      }
    }
  }
}

TEST(ScriptNeeds, OfThePublicDumpsAreALocaleAlone) {
  const std::vector<test::Load> loads = test::loads_of_text();
  if (loads.empty()) GTEST_SKIP() << "no shared/inputs/scripts";
  NeedsCollector collector;
  for (const test::Load& load : loads) {
    const TempDir folder;
    for (const auto& file : load.files)
      read_file(test::unpack(file, folder), collector);
  }
  EXPECT_THAT(collector.needs(),
              ElementsAre(Need{NeedKind::kLocale, "C.utf8",
                               "09-chinook-clean-create.sql:26"}));
}

TEST(ScriptNeeds, OfASchemaWithoutItsRolesAreTheRoles) {
  const auto file = test::scripts_directory() /
                    "dumps/15-pgexercises-club/clubdata-schemaonly.sql";
  if (!exists(file)) GTEST_SKIP() << "no " << file;
  NeedsCollector collector;
  read_file(file, collector);
  EXPECT_THAT(
      collector.needs(),
      ElementsAre(
          Need{NeedKind::kRole, "pgexercises", "clubdata-schemaonly.sql:2"},
          Need{NeedKind::kRole, "pgeadmin", "clubdata-schemaonly.sql:3"}));
}

}  // namespace
}  // namespace sidegrade::script
