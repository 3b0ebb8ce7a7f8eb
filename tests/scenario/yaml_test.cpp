#include "scenario/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sidegrade::scenario {
namespace {

using testing::ElementsAre;
using testing::Optional;

/// A parsed text, and what is found wrong while it is read.
struct Document {
  explicit Document(const std::string& text) : root(parse_yaml("f", text)) {}

  YamlValue value() { return {&root, "file", diagnostics}; }
  std::string errors() const {
    try {
      diagnostics.throw_if_any();
    } catch (const ScenarioError& error) {
      return error.what();
    }
    return "";
  }

  YamlNode root;
  Diagnostics diagnostics{"f"};
};

TEST(Yaml, EachNodeKnowsItsPlace) {
  const YamlNode root = parse_yaml("f", "a: 1\nb:\n  - x\n  - {c: y}\n");
  const YamlNode& list = root.children[1];
  EXPECT_EQ(list.key, "b");
  EXPECT_EQ(list.key_place.line, 2);
  const YamlNode& inner = list.children[1].children[0];
  EXPECT_EQ(inner.scalar, "y");
  EXPECT_EQ(inner.place.line, 4);
  EXPECT_EQ(inner.place.column, 9);
  EXPECT_EQ(inner.key_place.column, 6);
}

TEST(Yaml, WindowsLineEndsAndAByteOrderMarkAreNoMatter) {
  const YamlNode root = parse_yaml("f",
                                   "\xEF\xBB\xBF"
                                   "a: 1\r\nb: 2\r\n");
  EXPECT_EQ(root.children[0].key, "a");
  EXPECT_EQ(root.children[1].scalar, "2");
  EXPECT_EQ(root.children[1].key_place.line, 2);
}

TEST(Yaml, QuotedNullIsAWord) {
  Document document("{a: \"null\", b: null}");
  const YamlMap map(document.value(), {"a", "b"});
  EXPECT_THAT(map.find("a").text(), Optional(std::string("null")));
  EXPECT_EQ(map.find("b").text(), std::nullopt);
  EXPECT_EQ(document.errors(), "f:1:13: \"b\" has no value");
}

TEST(Yaml, AnAbsentValueIsNotReported) {
  Document document("{}");
  const YamlValue absent = YamlMap(document.value(), {"a"}).find("a");
  EXPECT_FALSE(absent);
  EXPECT_EQ(absent.text(), std::nullopt);
  EXPECT_EQ(absent.integer(1, 2), std::nullopt);
  EXPECT_EQ(absent.words(), std::nullopt);
  EXPECT_TRUE(absent.items("item").empty());
  EXPECT_TRUE(absent.entries().empty());
  EXPECT_EQ(document.errors(), "");
}

TEST(Yaml, AMisspeltKeyIsReadAsTheOneThatWasMeant) {
  Document document("{raunds: 3}");
  const YamlMap map(document.value(), {"rounds"});
  EXPECT_THAT(map.require("rounds").integer(1, 5), Optional(3));
  EXPECT_EQ(document.errors(),
            "f:1:2: unknown key \"raunds\" in file — did you mean "
            "\"rounds\"?");
}

TEST(Yaml, TheRightKeyGoesBeforeAMisspeltOne) {
  Document document("{raunds: 3, rounds: 4}");
  const YamlMap map(document.value(), {"rounds"});
  EXPECT_THAT(map.find("rounds").integer(1, 5), Optional(4));
}

TEST(Yaml, WordsAreAListOrOneText) {
  Document document("{a: [x y, z], b: ' x  y '}");
  const YamlMap map(document.value(), {"a", "b"});
  EXPECT_THAT(map.find("a").words(), Optional(ElementsAre("x y", "z")));
  EXPECT_THAT(map.find("b").words(), Optional(ElementsAre("x", "y")));
}

TEST(Yaml, WhatTheParserThrowsIsReportedWithItsPlace) {
  Document document("size: big");
  const YamlMap map(document.value(), {"size"});
  const auto parse = [](const std::string& text) -> int {
    throw base::Error("\"" + text + "\" is not a size");
  };
  EXPECT_EQ(map.find("size").parsed(parse), std::nullopt);
  EXPECT_EQ(document.errors(), "f:1:7: \"size\": \"big\" is not a size");
}

TEST(Yaml, AnyBrokenByteGivesANodeOrAScenarioError) {
  const std::string whole =
      "a: &x {k: [1, \"2\"]}\nb:\n  - c: 'd'\n    e: |\n      text\n# f\n";
  for (const char odd : std::string("[]{}\"'\t:*&!|>%@-?\n#\xff\x04") + '\0') {
    for (size_t i = 0; i < whole.size(); ++i) {
      std::string text = whole;
      text[i] = odd;
      try {
        parse_yaml("f", text);
      } catch (const ScenarioError& error) {
        EXPECT_FALSE(error.diagnostics().empty());
      }
    }
  }
}

}  // namespace
}  // namespace sidegrade::scenario
