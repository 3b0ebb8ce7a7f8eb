#include "scenario/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace sidegrade::scenario {
namespace {

using Kind = YamlNode::Kind;

Location location(const YAML::Mark& mark) {
  return mark.is_null() ? Location{} : Location{mark.line + 1, mark.column + 1};
}

/// Makes the tree from the parser's events, since only these tell an alias and
/// a repeated key from what they stand for.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    add(make(Kind::kNull, mark, ""));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    diagnostics_.add(location(mark),
                     "aliases (*name) can't be used here; write the value out");
    add(make(Kind::kScalar, mark, ""));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t /*anchor*/, const std::string& value) override {
    YamlNode node = make(Kind::kScalar, mark, tag);
    node.scalar = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    open_.push_back({make(Kind::kList, mark, tag), std::nullopt});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag,
                  YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open_.push_back({make(Kind::kMap, mark, tag), std::nullopt});
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    std::optional<YamlNode> key;  ///< read, its value is to come
  };

  YamlNode make(Kind kind, const YAML::Mark& mark, const std::string& tag) {
    // The parser's own tags: "?" for what is plain, "!" for what is quoted.
    if (!tag.empty() && tag != "?" && tag != "!") {
      diagnostics_.add(location(mark),
                       "tags (!name) can't be used here; write a plain value");
    }
    YamlNode node;
    node.kind = kind;
    node.place = location(mark);
    return node;
  }

  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Kind::kMap && !parent.key) {
      if (node.kind != Kind::kScalar) {
        diagnostics_.add(node.place, "a key must be a word");
      }
      parent.key = std::move(node);
      return;
    }
    // The parser places an empty value where the next word begins.
    if (node.kind == Kind::kNull) {
      node.place = parent.key ? parent.key->place : parent.node.place;
    }
    if (parent.key) {
      node.key = parent.key->scalar;
      node.key_place = parent.key->place;
      parent.key.reset();
    }
    parent.node.children.push_back(std::move(node));
  }

  Diagnostics& diagnostics_;
  std::vector<Open> open_;
  YamlNode root_;
};

/// The parser's sentence, but for tabs, which it takes for part of the text.
std::string syntax_sentence(const YAML::Exception& error,
                            const std::string& text) {
  const auto lines = base::split(text, '\n');
  const auto line = static_cast<size_t>(std::max(error.mark.line, 0));
  if (line < lines.size()) {
    const size_t begin = lines[line].find_first_not_of(" \t");
    if (lines[line].substr(0, begin).find('\t') != std::string::npos) {
      return "a tab in the indentation; YAML is indented with spaces";
    }
  }
  return fmt::format("this is not valid YAML: {}", error.msg);
}

YamlNode parse_documents(const std::string& text, Diagnostics& diagnostics) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  TreeBuilder builder(diagnostics);
  parser.HandleNextDocument(builder);
  YamlNode root = builder.take();
  if (root.kind == Kind::kNull) diagnostics.add({}, "the file is empty");
  TreeBuilder second(diagnostics);
  if (parser.HandleNextDocument(second)) {
    diagnostics.add(second.take().place,
                    "a second document begins here; the file must be one");
  }
  return root;
}

std::string shown(const YamlNode& node) {
  if (node.kind == Kind::kList) return "a list";
  if (node.kind == Kind::kMap) return "a map";
  return fmt::format("\"{}\"", node.scalar);
}

/// All of `text` as a number of type T.
template <typename T>
std::optional<T> number_from(const std::string& text) {
  T number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace

void Diagnostics::add(Location place, const std::string& sentence) {
  found_.push_back({file_, place.line, place.column, sentence});
}

void Diagnostics::throw_if_any() const {
  if (found_.empty()) return;
  std::vector<Diagnostic> ordered = found_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Diagnostic& a, const Diagnostic& b) {
                     return std::pair(a.line, a.column) <
                            std::pair(b.line, b.column);
                   });
  throw ScenarioError(std::move(ordered));
}

YamlNode parse_yaml(const std::filesystem::path& file,
                    const std::string& text) {
  Diagnostics diagnostics(file);
  YamlNode root;
  try {
    root = parse_documents(text, diagnostics);
  } catch (const YAML::Exception& error) {
    diagnostics.add(location(error.mark), syntax_sentence(error, text));
  }
  diagnostics.throw_if_any();
  return root;
}

YamlValue::YamlValue(const YamlNode* node, std::string what,
                     Diagnostics& diagnostics)
    : node_(node), what_(std::move(what)), diagnostics_(&diagnostics) {}

void YamlValue::report(const std::string& sentence) const {
  diagnostics_->add(node_->place, sentence);
}

void YamlValue::report_at_key(const std::string& sentence) const {
  diagnostics_->add(node_->key_place, sentence);
}

YamlValue YamlValue::named(std::string what) const {
  return {node_, std::move(what), *diagnostics_};
}

void YamlValue::report_expected(const std::string& description) const {
  report(
      fmt::format("{} must be {}, not {}", what_, description, shown(*node_)));
}

bool YamlValue::is(Kind kind, const std::string& description) const {
  if (node_ == nullptr) return false;
  if (node_->kind == kind) return true;
  if (node_->kind == Kind::kNull) {
    report(what_ + " has no value");
  } else {
    report_expected(description);
  }
  return false;
}

std::optional<std::string> YamlValue::text() const {
  if (!is(Kind::kScalar, "text")) return std::nullopt;
  if (!base::trim(node_->scalar).empty()) return node_->scalar;
  report(what_ + " is empty");
  return std::nullopt;
}

std::optional<bool> YamlValue::flag() const {
  if (!is(Kind::kScalar, "true or false")) return std::nullopt;
  if (node_->scalar == "true") return true;
  if (node_->scalar == "false") return false;
  report_expected("true or false");
  return std::nullopt;
}

std::optional<int64_t> YamlValue::integer(int64_t min, int64_t max) const {
  const std::string description =
      fmt::format("a whole number from {} to {}", min, max);
  if (!is(Kind::kScalar, description)) return std::nullopt;
  const auto number = number_from<int64_t>(node_->scalar);
  if (number && *number >= min && *number <= max) return number;
  report_expected(description);
  return std::nullopt;
}

std::optional<double> YamlValue::positive_number(double max) const {
  const std::string description =
      fmt::format("a number above 0 and at most {:.0f}", max);
  if (!is(Kind::kScalar, description)) return std::nullopt;
  const auto number = number_from<double>(node_->scalar);
  if (number && *number > 0 && *number <= max) return number;
  report_expected(description);
  return std::nullopt;
}

std::optional<size_t> YamlValue::choice(
    const std::string& kind, const std::vector<std::string>& names) const {
  const auto word = text();
  if (!word) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), *word);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  std::string tail = base::did_you_mean(*word, names);
  if (tail.empty()) {
    tail = names.empty() ? "; there is none"
                         : "; there is " + base::join(names, ", ");
  }
  report(fmt::format("unknown {} \"{}\"{}", kind, *word, tail));
  return std::nullopt;
}

std::vector<YamlValue> YamlValue::items(const std::string& item) const {
  std::vector<YamlValue> values;
  if (!is(Kind::kList, "a list")) return values;
  for (const YamlNode& child : node_->children) {
    values.emplace_back(&child, item, *diagnostics_);
  }
  return values;
}

std::vector<YamlValue> YamlValue::entries() const {
  std::vector<YamlValue> values;
  if (!is(Kind::kMap, "a map")) return values;
  std::set<std::string> seen;
  for (const YamlNode& child : node_->children) {
    values.emplace_back(&child, fmt::format("\"{}\"", child.key),
                        *diagnostics_);
    if (seen.insert(child.key).second) continue;
    values.back().report_at_key(
        fmt::format("key \"{}\" is there twice in {}", child.key, what_));
    values.pop_back();
  }
  return values;
}

std::optional<std::vector<std::string>> YamlValue::words() const {
  if (node_ == nullptr) return std::nullopt;
  if (node_->kind == Kind::kScalar) return base::split_words(node_->scalar);
  if (!is(Kind::kList, "a list of words")) return std::nullopt;
  std::vector<std::string> words;
  for (const YamlValue& item : items("a word of " + what_)) {
    if (const auto word = item.text()) words.push_back(*word);
  }
  return words;
}

YamlMap::YamlMap(const YamlValue& value, const std::vector<std::string>& keys)
    : value_(value) {
  if (!value) return;
  for (const YamlNode& child : value.node().children) {
    if (child.key == "name" && child.kind == Kind::kScalar) {
      value_ =
          value.named(fmt::format("{} \"{}\"", value.what(), child.scalar));
      break;
    }
  }
  std::vector<Entry> misspelt;
  for (const YamlValue& entry : value_.entries()) {
    const std::string& key = entry.node().key;
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) {
      entries_.push_back({key, entry});
      continue;
    }
    entry.report_at_key(fmt::format("unknown key \"{}\" in {}{}", key,
                                    value_.what(),
                                    base::did_you_mean(key, keys)));
    if (const auto meant = base::nearest_word(key, keys)) {
      misspelt.push_back({*meant, entry.named(fmt::format("\"{}\"", *meant))});
    }
  }
  entries_.insert(entries_.end(), misspelt.begin(), misspelt.end());
}

YamlValue YamlMap::find(std::string_view key) const {
  for (const Entry& entry : entries_) {
    if (entry.key == key) return entry.value;
  }
  return value_.absent();
}

YamlValue YamlMap::require(std::string_view key) const {
  YamlValue found = find(key);
  const bool is_map = value_ && value_.node().kind == Kind::kMap;
  if (!found && is_map) {
    value_.report(fmt::format("{} lacks \"{}\"", value_.what(), key));
  }
  return found;
}

}  // namespace sidegrade::scenario
