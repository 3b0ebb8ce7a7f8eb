#include "script/outline.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "support/temp_dir.h"

namespace sidegrade::script {
namespace {

using test::TempDir;
using testing::HasSubstr;

Outline outline_of(const std::string& text) {
  const TempDir dir;
  NeedsCollector needs;
  return read_outline(dir.file("a.sql", text), needs);
}

TEST(Outline, FindsTheThreePartsOfADump) {
  const Outline outline = outline_of(
      "SET client_encoding = 'UTF8';\n"
      "CREATE TABLE t (a int);\n"
      "COPY t FROM stdin;\n1\n\\.\n"
      "SELECT pg_catalog.setval('s', 1);\n"
      "-- constraints\n"
      "ALTER TABLE ONLY t\n    ADD CONSTRAINT t_pkey PRIMARY KEY (a);\n"
      "CREATE INDEX i ON t (a);\n");
  EXPECT_EQ(outline.data_begin, 2);
  EXPECT_EQ(outline.post_data_begin, 4);
  EXPECT_EQ(outline.steps, 6);
}

TEST(Outline, CountsIndexesBetweenDataAsData) {
  const Outline outline = outline_of(
      "INSERT INTO a VALUES (1);\nCREATE INDEX i ON a (x);\n"
      "INSERT INTO b VALUES (1);\n");
  EXPECT_EQ(outline.data_begin, 0);
  EXPECT_FALSE(outline.post_data_begin);
}

TEST(Outline, TakesAScriptWithoutDataAsAllSchema) {
  const Outline outline =
      outline_of("CREATE TABLE t (a int);\nCREATE INDEX i ON t (a);\n");
  EXPECT_FALSE(outline.data_begin);
  EXPECT_EQ(outline.steps, 2);
}

TEST(Outline, NamesTheCopyWhoseDataHaveNoEnd) {
  try {
    outline_of("CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n2\n");
    FAIL() << "a COPY block that was cut short was taken";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.sql:2: "));
  }
}

TEST(Outline, NamesABackslashCommandThatIsNotUnderstood) {
  try {
    outline_of("SELECT 1;\n\\! id\n");
    FAIL() << "\\! was taken";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.sql:2: the backslash command \\! "));
    EXPECT_THAT(error.hint(), HasSubstr("client: psql"));
  }
}

TEST(Outline, KnowsWhereCopyDataLie) {
  const TempDir dir;
  const std::string text =
      "CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n22\n\\.\nSELECT 1;\n"
      "COPY t FROM stdin;\n\\.\n";
  const auto path = dir.file("a.sql", text);
  NeedsCollector needs;
  const Outline outline = read_outline(path, needs);
  ASSERT_EQ(outline.copy_blocks.size(), 1U);
  const auto& blocks = outline.copy_blocks.at(path);
  ASSERT_EQ(blocks.size(), 2U);
  const CopyRange rows = blocks.begin()->second.rows;
  EXPECT_EQ(text.substr(rows.begin, rows.bytes()), "1\n22\n");
  EXPECT_EQ(rows.first_line, 3);
  EXPECT_EQ(rows.lines, 2);
  EXPECT_EQ(blocks.rbegin()->second.rows.bytes(), 0U);
  EXPECT_EQ(blocks.rbegin()->second.rows.first_line, 8);
  EXPECT_EQ(outline.table_bytes.at("t"), 5U);
}

TEST(Outline, CutsLargeBlocksBetweenRows) {
  const TempDir dir;
  std::string rows;
  for (int i = 0; rows.size() < (size_t{5} << 20); ++i) {
    // Every third row holds a newline behind a backslash.
    rows += "row " + std::to_string(i) + (i % 3 == 0 ? "\\\ngoes on\n" : "\n");
  }
  const auto path = dir.file("a.sql", "COPY t FROM stdin;\n" + rows + "\\.\n");
  NeedsCollector needs;
  const Outline outline = read_outline(path, needs);
  const CopyBlock& block = outline.copy_blocks.at(path).begin()->second;
  const std::vector<CopyRange> parts = split(block, 3);
  ASSERT_EQ(parts.size(), 3U);
  uint64_t end = block.rows.begin;
  int64_t line = block.rows.first_line;
  for (const CopyRange& part : parts) {
    EXPECT_EQ(part.begin, end);
    EXPECT_EQ(part.first_line, line);
    EXPECT_EQ(rows.compare(part.begin - block.rows.begin, 4, "row "), 0);
    end = part.end;
    line += part.lines;
  }
  EXPECT_EQ(end, block.rows.end);
  EXPECT_EQ(line, block.rows.first_line + block.rows.lines);
}

TEST(Outline, FollowsTheBranchesThatItCanDecide) {
  const Outline outline = outline_of(
      "\\set rows on\nCREATE TABLE t (a int);\n\\if :rows\n"
      "INSERT INTO t VALUES (1);\n\\else\n\\! id\n\\endif\n"
      "CREATE INDEX i ON t (a);\n");
  EXPECT_FALSE(outline.depends_on_session);
  EXPECT_EQ(outline.data_begin, 1);
  EXPECT_EQ(outline.post_data_begin, 2);
}

TEST(Outline, GivesNoPartsToAScriptWhoseCourseASessionDecides) {
  for (const char* text :
       {"\\if :ERROR\nCREATE TABLE t (a int);\n\\endif\nSELECT 1;\n",
        "SELECT 1 AS n \\gset\nCREATE TABLE t (a int);\nSELECT :n;\n"}) {
    const Outline outline = outline_of(text);
    EXPECT_TRUE(outline.depends_on_session) << text;
    EXPECT_EQ(outline.data_begin, 0) << text;
    EXPECT_FALSE(outline.post_data_begin) << text;
  }
  EXPECT_FALSE(
      outline_of("COMMENT ON DATABASE :DBNAME IS 'x';\n").depends_on_session);
}

TEST(Outline, SaysWhetherEachStatementMustBeAnswered) {
  EXPECT_TRUE(outline_of("SELECT 1;\nSELECT :ROW_COUNT;\n").waits_for_answers);
  EXPECT_TRUE(outline_of("\\set ON_ERROR_STOP off\n").waits_for_answers);
  EXPECT_FALSE(outline_of("SELECT :'DBNAME';\n").waits_for_answers);
}

TEST(Outline, SaysWhatTiesRowsTogether) {
  const std::string rows = "INSERT INTO t VALUES (1);\n";
  EXPECT_EQ(
      outline_of("CREATE TABLE t (a int REFERENCES u);\n" + rows).rows_tied_at,
      "a.sql:1");
  EXPECT_EQ(outline_of(rows + "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES "
                              "u;\n")
                .rows_tied_at,
            "");
}

}  // namespace
}  // namespace sidegrade::script
