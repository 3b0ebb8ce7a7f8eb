#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "scenario/scenario.h"

namespace sidegrade::scenario {

/// What is wrong with one file, as it is found.
class Diagnostics {
 public:
  explicit Diagnostics(std::filesystem::path file) : file_(std::move(file)) {}

  void add(Location place, const std::string& sentence);
  /// Throws ScenarioError with all of them in the order of their places, if
  /// there are any.
  void throw_if_any() const;

 private:
  std::filesystem::path file_;
  std::vector<Diagnostic> found_;
};

/// One node of a YAML document.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  Location place;
  std::string scalar;
  std::vector<YamlNode> children;  ///< of a list or map, as they are written
  std::string key;                 ///< in a map: what it is the value of
  Location key_place;
};

/// The one document of `text`, which is what `file` holds. Throws ScenarioError
/// if it is not YAML, is empty, or uses what we leave out: further documents,
/// aliases, tags, keys that are not words.
YamlNode parse_yaml(const std::filesystem::path& file, const std::string& text);

/// A value being read, or the absence of one. The readers return nothing if it
/// is absent or wrong; what is wrong is reported. It refers to the node and the
/// Diagnostics, which must live longer.
class YamlValue {
 public:
  /// `what` names it in sentences: `"rounds"`, `target`.
  YamlValue(const YamlNode* node, std::string what, Diagnostics& diagnostics);

  explicit operator bool() const { return node_ != nullptr; }
  /// The next three want a value that is there.
  const YamlNode& node() const { return *node_; }
  void report(const std::string& sentence) const;
  void report_at_key(const std::string& sentence) const;

  const std::string& what() const { return what_; }
  YamlValue named(std::string what) const;
  /// The absence of a value, with which reading goes on.
  YamlValue absent() const { return {nullptr, what_, *diagnostics_}; }

  /// Any scalar, but not an empty one.
  std::optional<std::string> text() const;
  std::optional<bool> flag() const;
  std::optional<int64_t> integer(int64_t min, int64_t max) const;
  /// Above zero and at most `max`.
  std::optional<double> positive_number(double max) const;
  /// The index of the one of `names` that it is; else reports that `kind` (as
  /// in "unknown phase") with a "did you mean".
  std::optional<size_t> choice(const std::string& kind,
                               const std::vector<std::string>& names) const;
  /// What `parse` makes of the text; a base::Error of it is reported.
  template <typename Parse>
  auto parsed(Parse parse) const -> std::optional<decltype(parse(""))>;
  /// The elements of a list, each called `item`.
  std::vector<YamlValue> items(const std::string& item) const;
  /// The values of a map whose keys are free, each called by its key. Repeated
  /// keys are reported and come once.
  std::vector<YamlValue> entries() const;
  /// A list of words, or one text that is split at white space.
  std::optional<std::vector<std::string>> words() const;

 private:
  void report_expected(const std::string& description) const;
  bool is(YamlNode::Kind kind, const std::string& description) const;

  const YamlNode* node_;
  std::string what_;
  Diagnostics* diagnostics_;
};

/// A map whose keys are known beforehand.
class YamlMap {
 public:
  /// Reports what is not a map, unknown keys and repeated ones; a misspelt key
  /// is read as the one it was meant to be, so that one slip gives one report.
  /// A map with a `name` is called by it from here on: `target "xfs"`.
  YamlMap(const YamlValue& value, const std::vector<std::string>& keys);

  const YamlValue& value() const { return value_; }
  /// The value of `key`; absent if the map has none.
  YamlValue find(std::string_view key) const;
  /// As find; an absent one is reported.
  YamlValue require(std::string_view key) const;

 private:
  struct Entry {
    std::string key;
    YamlValue value;
  };

  YamlValue value_;
  std::vector<Entry> entries_;
};

template <typename Parse>
auto YamlValue::parsed(Parse parse) const
    -> std::optional<decltype(parse(""))> {
  const auto words = text();
  if (!words) return std::nullopt;
  try {
    return parse(*words);
  } catch (const base::Error& error) {
    report(what_ + ": " + error.what());
    return std::nullopt;
  }
}

}  // namespace sidegrade::scenario
