#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sidegrade::base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Split, GivesOnePieceMoreThanThereAreSeparators) {
  EXPECT_THAT(split("", ':'), ElementsAre(""));
  EXPECT_THAT(split("a", ':'), ElementsAre("a"));
  EXPECT_THAT(split(":a::b:", ':'), ElementsAre("", "a", "", "b", ""));
}

TEST(SplitWords, KnowsAnyWhiteSpaceAndNoEmptyWord) {
  EXPECT_THAT(split_words(" one\ttwo \n three\r\n"),
              ElementsAre("one", "two", "three"));
  EXPECT_THAT(split_words(" \t\n"), IsEmpty());
}

TEST(Trim, TakesWhiteSpaceFromBothEndsOnly) {
  EXPECT_EQ(trim(" \n a b\t"), "a b");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Join, PutsTheSeparatorBetweenPieces) {
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(join({}, ", "), "");
}

struct Guess {
  const char* word;
  const char* meant;  ///< nullptr: nothing is near
};

class NearestWord : public testing::TestWithParam<Guess> {};

TEST_P(NearestWord, IsTheCandidateThatWasProbablyMeant) {
  const std::vector<std::string> candidates = {
      "filesystem", "mount_options", "size", "xfs", "ext3", "ext4"};
  const auto [word, meant] = GetParam();
  const auto nearest = nearest_word(word, candidates);
  if (meant == nullptr) {
    EXPECT_EQ(nearest, std::nullopt) << word;
  } else {
    EXPECT_EQ(nearest, meant) << word;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Words, NearestWord,
    testing::Values(Guess{"filesytem", "filesystem"},  // one left out
                    Guess{"filesysttem", "filesystem"},
                    Guess{"filesystme", "filesystem"},  // two changed places
                    Guess{"file_system", "filesystem"},
                    Guess{"mountoption", "mount_options"},
                    Guess{"seiz", nullptr},  // two edits in four letters
                    Guess{"szie", "size"},   // but one change of places
                    Guess{"sise", "size"}, Guess{"xs", "xfs"},
                    Guess{"ext5", "ext3"},  // equally near: the first
                    Guess{"ext4", "ext4"}, Guess{"btrfs", nullptr},
                    Guess{"x", nullptr}, Guess{"", nullptr}));

TEST(NearestWord, DoesNotTakeOneLetterForAnother) {
  EXPECT_EQ(nearest_word("a", {"b", "c"}), std::nullopt);
  EXPECT_EQ(nearest_word("", {"a"}), std::nullopt);
  EXPECT_EQ(nearest_word("word", {}), std::nullopt);
}

TEST(DidYouMean, IsTheTailOfASentenceOrNothing) {
  EXPECT_EQ(did_you_mean("importt", {"import"}), " — did you mean \"import\"?");
  EXPECT_EQ(did_you_mean("vacuum", {"import"}), "");
}

TEST(EncodedWords, HaveNoWhiteSpaceAndComeBackAsTheyWere) {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) {
    every_byte += static_cast<char>(byte);
  }
  for (const std::string& text :
       {every_byte, std::string("a b%20\n"), std::string("/mnt/x"),
        std::string("täglich"), std::string()}) {
    const std::string word = encode_word(text);
    EXPECT_EQ(word.find_first_of(" \t\n\r\v\f"), std::string::npos);
    EXPECT_EQ(decode_word(word), text);
  }
}

TEST(EncodedWords, LookAsTheyAreWhereNothingIsSpecial) {
  EXPECT_EQ(encode_word("/mnt/my disk/100%"), "/mnt/my%20disk/100%25");
  EXPECT_EQ(encode_word("/srv/täglich-1"), "/srv/täglich-1");
}

TEST(EncodedWords, AreLeftAloneWhereTheyAreNoCode) {
  EXPECT_EQ(decode_word("100%"), "100%");
  EXPECT_EQ(decode_word("%4"), "%4");
  EXPECT_EQ(decode_word("%zz%-1%+1"), "%zz%-1%+1");
}

}  // namespace
}  // namespace sidegrade::base
