#include "script/interpreter.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "support/temp_dir.h"

namespace sidegrade::script {
namespace {

using test::TempDir;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ScriptInterpreterTest : public testing::Test {
 protected:
  struct Shown {
    std::string operator()(const ExecuteStep& step) const {
      const std::string text = step.statement.text;
      switch (step.use) {
        case ExecuteStep::Use::kNone:
          return text;
        case ExecuteStep::Use::kExecuteCells:
          return "gexec " + text;
        case ExecuteStep::Use::kStoreVariables:
          return "gset[" + step.prefix + "] " + text;
      }
      return "";
    }
    std::string operator()(const CopyStep& step) const {
      return "copy[" + step.file.filename().string() + "] " + step.statement;
    }
    std::string operator()(const ConnectStep& step) const {
      return "connect " + testing::PrintToString(step.arguments);
    }
    std::string operator()(const EncodingStep& step) const {
      return "encoding " + step.encoding;
    }
    std::string operator()(const RefusedStep& step) const {
      return "refused " + step.sentence;
    }
  };

  std::vector<std::string> steps_of(const std::string& text) {
    Interpreter script(
        dir_.file("a.sql", text), Reading::kExecuting,
        [](const std::string& name) -> std::optional<std::string> {
          if (name == "DBNAME") return "shop";
          return std::nullopt;
        });
    std::vector<std::string> steps;
    Step step;
    while (script.next({}, step)) steps.push_back(std::visit(Shown(), step));
    EXPECT_EQ(script.steps(), static_cast<int64_t>(steps.size()));
    return steps;
  }

  base::Error error_of(const std::string& text) {
    try {
      steps_of(text);
    } catch (const base::Error& error) {
      return error;
    }
    return base::Error("(no error)");
  }

  TempDir dir_;
};

TEST_F(ScriptInterpreterTest, SetsAndUsesVariables) {
  EXPECT_THAT(steps_of("\\set a 'x y' z\nSELECT :'a';\n\\unset a\nSELECT :a;\n"
                       "SELECT :\"DBNAME\";\n"),
              ElementsAre("SELECT 'x yz';", "SELECT :a;", "SELECT \"shop\";"));
}

TEST_F(ScriptInterpreterTest, LexesAVariablesValueAsIfItStoodThere) {
  EXPECT_THAT(steps_of("\\set two 'SELECT 1; SELECT'\n:two 2;\n"),
              ElementsAre("SELECT 1;", "SELECT 2;"));
}

TEST_F(ScriptInterpreterTest, EndsStatementsByTheGCommands) {
  EXPECT_THAT(steps_of("SELECT 1 \\g\nSELECT 2 \\gexec\nSELECT 3 \\gset p_\n"
                       "SELECT 4 \\gx (format=csv)\nSELECT 5 \\gdesc\n"
                       "SELECT 6;\n\\g\n"),
              ElementsAre("SELECT 1 ", "gexec SELECT 2 ", "gset[p_] SELECT 3 ",
                          "SELECT 4 ", "SELECT 6;", "SELECT 6;"));
}

TEST_F(ScriptInterpreterTest, ReadsFilesWhereTheyAreIncluded) {
  std::filesystem::create_directory(dir_ / "sub");
  dir_.file("sub/b.sql", "SELECT 'b';\n\\ir c.sql\n\\q\nSELECT 'never';\n");
  dir_.file("sub/c.sql", "SELECT 'c'");
  dir_.file("d.sql", "SELECT 'd';\n");
  EXPECT_THAT(steps_of("SELECT 'a';\n\\i sub/b.sql\n\\include 'd.sql';\n"
                       "SELECT 'e';\n"),
              ElementsAre("SELECT 'a';", "SELECT 'b';", "SELECT 'c'",
                          "SELECT 'd';", "SELECT 'e';"));
}

TEST_F(ScriptInterpreterTest, NamesAFileThatIsMissingOrIncludesItself) {
  EXPECT_THAT(error_of("SELECT 1;\n\\i none.sql\n").what(),
              testing::AllOf(HasSubstr("a.sql:2: "), HasSubstr("none.sql")));
  EXPECT_THAT(error_of("\\i a.sql\n").hint(), HasSubstr("include itself"));
}

TEST_F(ScriptInterpreterTest, NamesAVariableThatGrowsWithoutEnd) {
  std::string text = "\\set v x\n";
  for (int i = 0; i < 64; ++i) text += "\\set v :v:v\n";
  EXPECT_THAT(error_of(text).what(), HasSubstr("the value of variable v"));
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "':a' ':b' ";
  EXPECT_THAT(
      error_of("\\set a " + many + "\n\\set b " + many + "\nSELECT :a;\n")
          .what(),
      HasSubstr("a.sql:3: the variables in this line stand for more than"));
}

TEST_F(ScriptInterpreterTest, TakesClientCopyApart) {
  EXPECT_THAT(
      steps_of("\\copy t (a, b) from 'it''s.csv' with (format csv)\n"
               "\\copy public.\"T from\" FROM stdin\n"
               "\\copy (t) from x.txt delimiter '|';\n"),
      ElementsAre("copy[it's.csv] COPY t (a, b) FROM STDIN with (format csv)",
                  "copy[] COPY public.\"T from\" FROM STDIN ",
                  "copy[x.txt] COPY (t) FROM STDIN delimiter '|'"));
  EXPECT_THAT(error_of("\\copy t to 'x'\n").what(), HasSubstr("it writes"));
  EXPECT_THAT(error_of("\\copy t from program 'id'\n").what(),
              HasSubstr("a program is not executed"));
}

TEST_F(ScriptInterpreterTest, PassesOverWhatOnlyShowsSomething) {
  EXPECT_THAT(
      steps_of("\\echo a 'b'\n\\timing on\n\\pset pager off\n\\dt+\n\\x\n"
               "\\o\n\\conninfo\n\\warn w\nSELECT 1 \\p\n;\n"),
      ElementsAre("SELECT 1 \n;"));
}

TEST_F(ScriptInterpreterTest, ForgetsAStatementThatIsReset) {
  EXPECT_THAT(steps_of("SELECT (1\n\\r\nSELECT 2;\n"),
              ElementsAre("SELECT 2;"));
}

TEST_F(ScriptInterpreterTest, LeavesConnectionsAndEncodingsToTheSession) {
  EXPECT_THAT(steps_of("\\c \"My Db\" bob\n\\encoding LATIN1\n\\encoding\n"),
              ElementsAre("connect { \"My Db\", \"bob\" }", "encoding LATIN1"));
}

TEST_F(ScriptInterpreterTest, RefusesWhatPsqlRefusesWhileRestricted) {
  EXPECT_THAT(
      steps_of("\\restrict k\n\\echo a\n\\unrestrict q\n\\unrestrict k\n"),
      ElementsAre(HasSubstr("a.sql:2: backslash commands are restricted"),
                  HasSubstr("a.sql:3: \\unrestrict: wrong key")));
}

TEST_F(ScriptInterpreterTest, NamesWhatItDoesNotUnderstand) {
  for (const char* text :
       {"\\! id\n", "\\setenv A b\n", "SELECT 1 \\g out.txt\n", "\\o out.txt\n",
        "SELECT 1 \\watch\n", "\\set AUTOCOMMIT off\n", "\\lo_import x\n",
        "\\set ON_ERROR_ROLLBACK on\n", "\\nonsense\n"}) {
    EXPECT_THAT(error_of(std::string("SELECT 1;\n") + text).what(),
                HasSubstr("a.sql:2: the backslash command \\"))
        << text;
    EXPECT_THAT(error_of(text).hint(), HasSubstr("client: psql")) << text;
  }
  EXPECT_THAT(steps_of("\\set AUTOCOMMIT on\n\\set ECHO all\n"), IsEmpty());
}

}  // namespace
}  // namespace sidegrade::script
