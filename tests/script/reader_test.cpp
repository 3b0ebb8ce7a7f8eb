#include "script/reader.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "support/temp_dir.h"

namespace sidegrade::script {
namespace {

using test::TempDir;
using testing::ElementsAre;
using testing::HasSubstr;

/// Each step as text: "LINE:statement", or "LINE:\name[argument][argument]".
std::vector<std::string> steps_of(const std::string& text,
                                  LexerSettings settings = {}) {
  const TempDir dir;
  Variables variables([](const auto&) { return std::nullopt; });
  variables.set("name", "it's");
  variables.set("yes", "on");
  Reader reader(dir.file("a.sql", text), variables, Reading::kExecuting);
  std::vector<std::string> steps;
  Reader::Item step;
  while (reader.next(settings, step)) {
    if (const auto* statement = std::get_if<Statement>(&step)) {
      steps.push_back(std::to_string(statement->line) + ":" + statement->text);
      continue;
    }
    const auto& command = std::get<BackslashCommand>(step);
    std::string shown = std::to_string(command.line) + ":\\" + command.name;
    for (const std::string& word : command.arguments) shown += "[" + word + "]";
    steps.push_back(shown);
  }
  return steps;
}

TEST(Reader, EndsStatementsWherePsqlDoes) {
  EXPECT_THAT(steps_of("SELECT 1; SELECT\n2;\n\nSELECT 3"),
              ElementsAre("1:SELECT 1;", "1:SELECT\n2;", "4:SELECT 3"));
}

TEST(Reader, LeavesSemicolonsInQuotesAndBodiesAlone) {
  EXPECT_THAT(steps_of("SELECT $a$;$$;$a$, ';', \";\";"),
              ElementsAre("1:SELECT $a$;$$;$a$, ';', \";\";"));
  const std::string body =
      "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END;";
  EXPECT_THAT(steps_of(body), ElementsAre("1:" + body));
}

TEST(Reader, FollowsStandardConformingStrings) {
  const std::string text = "SELECT 'a\\'; SELECT 2;';";
  EXPECT_EQ(steps_of(text, {.standard_strings = false}).size(), 1U);
  EXPECT_EQ(steps_of(text, {.standard_strings = true}).size(), 3U);
}

TEST(Reader, ReadsBackslashCommandsWithTheirArguments) {
  EXPECT_THAT(steps_of("\\connect 'odd name' \"Q\"\"x\"\nSELECT 1;\n"
                       "\\restrict abc \n"),
              ElementsAre("1:\\connect[odd name][Q\"x]", "2:SELECT 1;",
                          "3:\\restrict[abc]"));
}

TEST(Reader, GoesOnWithSqlBehindTwoBackslashes) {
  EXPECT_THAT(steps_of("\\encoding UTF8 \\\\ SELECT 1;\n"),
              ElementsAre("1:\\encoding[UTF8]", "1:SELECT 1;"));
}

TEST(Reader, KeepsAStatementThatABackslashCommandInterrupts) {
  EXPECT_THAT(steps_of("SELECT 1\n\\encoding UTF8\n, 2;\n"),
              ElementsAre("2:\\encoding[UTF8]", "1:SELECT 1\n, 2;"));
}

TEST(Reader, PutsValuesInPlaceOfVariablesAsPsqlDoes) {
  EXPECT_THAT(steps_of("SELECT :'name', :\"name\", ':name', a[1:2], :no, "
                       "1::int;"),
              ElementsAre("1:SELECT 'it''s', \"it's\", ':name', a[1:2], :no, "
                          "1::int;"));
  EXPECT_THAT(
      steps_of("\\x :name a:'name' :{?name} :{?no} \"q q\" 'a\\n:name'"),
      ElementsAre("1:\\x[it's][a'it''s'][TRUE][FALSE][\"q q\"]"
                  "[a\n:name]"));
}

TEST(Reader, LeavesOutTheBranchesThatAreNotTaken) {
  EXPECT_THAT(steps_of("\\if :yes\nSELECT 1;\n\\elif true\nSELECT 2;\n\\else\n"
                       "SELECT 3;\n\\endif\nSELECT 4;"),
              ElementsAre("2:SELECT 1;", "8:SELECT 4;"));
  EXPECT_THAT(steps_of("\\if off\n\\if on\nSELECT 1;\n\\else\nSELECT 2;\n"
                       "\\endif\n\\elif :yes\nSELECT 3;\n\\endif\n"),
              ElementsAre("8:SELECT 3;"));
  EXPECT_THAT(steps_of("SELECT 1\n\\if false\n, (2;\n\\else\n, 3\n\\endif\n;"),
              ElementsAre("1:SELECT 1\n, 3\n;"));
}

TEST(Reader, NamesAConditionWithoutItsEnd) {
  EXPECT_THROW(steps_of("\\if true\nSELECT 1;\n"), base::Error);
  EXPECT_THROW(steps_of("SELECT 1;\n\\endif\n"), base::Error);
  EXPECT_THROW(steps_of("\\if true\n\\else\n\\else\n\\endif\n"), base::Error);
}

TEST(Reader, RefusesShellCommandsInBackquotes) {
  try {
    steps_of("SELECT 1;\n\\set x `id`\n");
    FAIL() << "a shell command was taken";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.sql:2: \\set: a shell command"));
  }
}

TEST(Reader, PassesOverAByteOrderMark) {
  EXPECT_THAT(steps_of("\xef\xbb\xbfSELECT 1;"), ElementsAre("1:SELECT 1;"));
}

TEST(Reader, NamesTheLineOfANulByte) {
  try {
    steps_of(std::string("SELECT 1;\nS\0E\0", 14));
    FAIL() << "NUL bytes were taken";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.sql:2: "));
    EXPECT_THAT(error.hint(), HasSubstr("UTF-16"));
  }
}

TEST(Reader, TellsAnArchiveFromAScript) {
  try {
    steps_of("PGDMP\x01\x0e");
    FAIL() << "an archive was taken";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("custom format"));
    EXPECT_THAT(error.hint(), HasSubstr("pg_restore"));
  }
}

}  // namespace
}  // namespace sidegrade::script
