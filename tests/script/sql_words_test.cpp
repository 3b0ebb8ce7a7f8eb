#include "script/sql_words.h"

#include <gmock/gmock.h>

namespace sidegrade::script {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> values_of(std::string_view statement,
                                   const LexerSettings& settings = {}) {
  std::vector<std::string> values;
  SqlWords words(statement, settings);
  for (SqlWord word; words.next(word);) values.push_back(word.value());
  return values;
}

TEST(SqlWords, AreNamesStringsAndSigns) {
  EXPECT_THAT(
      values_of("ALTER TABLE a.\"B\"\"c\"\n ADD x INT DEFAULT('it''s');"),
      ElementsAre("alter", "table", "a", ".", "B\"c", "add", "x", "int",
                  "default", "(", "it's", ")", ";"));
}

TEST(SqlWords, KeepLettersOtherThanAsciiAsTheyAre) {
  EXPECT_THAT(values_of("ÄRGER_1$x"), ElementsAre("Ärger_1$x"));
}

TEST(SqlWords, PassOverCommentsAlsoNestedOnes) {
  EXPECT_THAT(values_of("-- \"a\r\nb /* c /* 'd */ e */ f -- g"),
              ElementsAre("b", "f"));
}

TEST(SqlWords, TakeADollarQuotedBodyAsOneUpToItsOwnTag) {
  EXPECT_THAT(values_of("AS $x$ a $$ ' $y$ b $x$ c $1 d$$"),
              ElementsAre("as", " a $$ ' $y$ b ", "c", "$", "1", "d$$"));
}

TEST(SqlWords, TakeABackslashForAnEscapeOnlyWhereItIsOne) {
  const LexerSettings old{.standard_strings = false};
  EXPECT_THAT(values_of(R"(E'a\'b' 'c\' d)"),
              ElementsAre(R"(a\'b)", R"(c\)", "d"));
  EXPECT_THAT(values_of(R"('a\'b' "c\" d)", old),
              ElementsAre(R"(a\'b)", R"(c\)", "d"));
}

TEST(SqlWords, EndWithTheStatementWhatHasNoEndOfItsOwn) {
  EXPECT_THAT(values_of("a 'b"), ElementsAre("a", "b"));
  EXPECT_THAT(values_of("a \""), ElementsAre("a", ""));
  EXPECT_THAT(values_of("a E'b\\"), ElementsAre("a", "b\\"));
  EXPECT_THAT(values_of("a $x$b"), ElementsAre("a", "b"));
  EXPECT_THAT(values_of("a /* b /* c */"), ElementsAre("a"));
  EXPECT_THAT(values_of("-- a"), IsEmpty());
}

TEST(SqlWords, AreComparedWithKeywordsOnlyIfNotQuoted) {
  SqlWords words("Owner \"owner\" 'owner' (");
  SqlWord word;
  ASSERT_TRUE(words.next(word));
  EXPECT_TRUE(word.is("owner"));
  EXPECT_FALSE(word.is("own"));
  ASSERT_TRUE(words.next(word));
  EXPECT_FALSE(word.is("owner"));
  ASSERT_TRUE(words.next(word));
  EXPECT_FALSE(word.is("owner"));
  ASSERT_TRUE(words.next(word));
  EXPECT_TRUE(word.is("("));
}

}  // namespace
}  // namespace sidegrade::script
