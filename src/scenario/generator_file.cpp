#include "scenario/generator_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "scenario/yaml.h"

namespace sidegrade::scenario {
namespace {

using workload::ColumnKind;
using workload::ColumnSpec;
using workload::CountRange;

constexpr int64_t kMaxRows = int64_t{1} << 32;

/// What a column may refer to.
struct Names {
  std::vector<std::string> tables;
  std::vector<std::string> vocabularies;
  std::vector<std::string> columns;
};

std::optional<ColumnSpec> read_column(const YamlValue& value,
                                      const Names& names);

int64_t parse_whole(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, code] = std::from_chars(text.data(), end, number);
  if (code == std::errc() && rest == end) return number;
  throw base::Error(fmt::format("\"{}\" is not a whole number", text));
}

/// The two ends of "a..b"; a single value is both.
std::pair<std::string, std::string> parse_ends(const std::string& text) {
  const size_t dots = text.find("..");
  if (dots == std::string::npos) return {text, text};
  return {text.substr(0, dots), text.substr(dots + 2)};
}

CountRange parse_range(const std::string& text) {
  const auto [first, last] = parse_ends(text);
  return {parse_whole(first), parse_whole(last)};
}

CountRange parse_seconds(const std::string& text) {
  const auto seconds = [](const std::string& end) -> int64_t {
    return base::parse_duration(end).count() / 1000;
  };
  const auto [first, last] = parse_ends(text);
  return {seconds(first), seconds(last)};
}

/// A day as 2026-11-30, in seconds since 1970.
int64_t parse_day(const std::string& text) {
  const auto parts = base::split(text, '-');
  if (parts.size() == 3) {
    const auto part = [&](size_t i) {
      return static_cast<int>(parse_whole(parts[i]));
    };
    const std::chrono::year_month_day date{
        std::chrono::year(part(0)),
        std::chrono::month(static_cast<unsigned>(part(1))),
        std::chrono::day(static_cast<unsigned>(part(2)))};
    if (date.ok() && part(0) >= 1000 && part(0) <= 9999) {
      return std::chrono::sys_seconds(std::chrono::sys_days(date))
          .time_since_epoch()
          .count();
    }
  }
  throw base::Error(
      fmt::format("\"{}\" is not a day such as 2026-11-30", text));
}

CountRange parse_days(const std::string& text) {
  const auto [first, last] = parse_ends(text);
  return {parse_day(first), parse_day(last)};
}

/// A decimal's digits as one whole number, and how many are behind the point.
std::pair<int64_t, int> parse_decimal(std::string text) {
  const size_t point = text.find('.');
  if (point == std::string::npos) return {parse_whole(text), 0};
  text.erase(point, 1);
  return {parse_whole(text), static_cast<int>(text.size() - point)};
}

workload::DecimalKind parse_decimals(const std::string& text) {
  const auto [first, last] = parse_ends(text);
  const auto [min, min_digits] = parse_decimal(first);
  const auto [max, max_digits] = parse_decimal(last);
  if (min_digits != max_digits) {
    throw base::Error("both ends need as many digits behind the point");
  }
  return {min, max, min_digits};
}

int parse_percent(const std::string& text) {
  if (text.ends_with('%')) {
    const int64_t percent = parse_whole(text.substr(0, text.size() - 1));
    if (percent >= 0 && percent <= 100) return static_cast<int>(percent);
  }
  throw base::Error(fmt::format("\"{}\" is not a share such as 25%", text));
}

std::optional<std::string> read_name(const YamlValue& value,
                                     const std::string& kind,
                                     const std::vector<std::string>& names) {
  const auto index = value.choice(kind, names);
  if (!index) return std::nullopt;
  return names[*index];
}

CountRange read_count(const YamlMap& map) {
  return map.require("count").parsed(parse_range).value_or(CountRange{});
}

/// How a kind of column is read from its map.
struct KindReader {
  std::string name;
  std::vector<std::string> options;  ///< further keys
  ColumnKind (*read)(const YamlMap& map, const YamlValue& value,
                     const Names& names);
};

ColumnKind read_spread(const YamlMap& /*map*/, const YamlValue& value,
                       const Names& names) {
  return workload::SpreadKind{
      read_name(value, "table", names.tables).value_or("")};
}

ColumnKind read_integer(const YamlMap& /*map*/, const YamlValue& value,
                        const Names& /*names*/) {
  const auto range = value.parsed(parse_range).value_or(CountRange{});
  return workload::IntegerKind{range.min, range.max};
}

ColumnKind read_reference(const YamlMap& map, const YamlValue& value,
                          const Names& names) {
  return workload::ReferenceKind{
      read_name(value, "table", names.tables).value_or(""),
      static_cast<int>(map.find("skew").integer(1, 4).value_or(1))};
}

ColumnKind read_decimal(const YamlMap& /*map*/, const YamlValue& value,
                        const Names& /*names*/) {
  return value.parsed(parse_decimals).value_or(workload::DecimalKind{});
}

ColumnKind read_timestamp(const YamlMap& map, const YamlValue& value,
                          const Names& /*names*/) {
  const auto days = value.parsed(parse_days).value_or(CountRange{});
  return workload::TimestampKind{days.min, days.max,
                                 map.find("increasing").flag().value_or(false)};
}

ColumnKind read_after(const YamlMap& map, const YamlValue& value,
                      const Names& names) {
  return workload::AfterKind{
      read_name(value, "column", names.columns).value_or(""),
      map.require("by").parsed(parse_seconds).value_or(CountRange{})};
}

ColumnKind read_words(const YamlMap& map, const YamlValue& value,
                      const Names& names) {
  return workload::WordsKind{
      read_name(value, "vocabulary", names.vocabularies).value_or(""),
      read_count(map)};
}

ColumnKind read_array(const YamlMap& map, const YamlValue& value,
                      const Names& names) {
  return workload::ArrayKind{
      read_name(value, "vocabulary", names.vocabularies).value_or(""),
      read_count(map)};
}

/// A list of values, or a map of values and their weights.
ColumnKind read_choice(const YamlMap& /*map*/, const YamlValue& value,
                       const Names& /*names*/) {
  workload::ChoiceKind kind;
  if (value.node().kind == YamlNode::Kind::kList) {
    for (const YamlValue& item : value.items("a value of " + value.what())) {
      kind.values.push_back({item.text().value_or(""), 1});
    }
    return kind;
  }
  for (const YamlValue& entry : value.entries()) {
    const auto weight = entry.integer(1, 10000).value_or(1);
    kind.values.push_back({entry.node().key, static_cast<int>(weight)});
  }
  return kind;
}

ColumnKind read_cycle(const YamlMap& /*map*/, const YamlValue& value,
                      const Names& /*names*/) {
  workload::CycleKind kind;
  for (const YamlValue& item : value.items("a value of " + value.what())) {
    kind.values.push_back(item.text().value_or(""));
  }
  return kind;
}

ColumnKind read_pattern(const YamlMap& /*map*/, const YamlValue& value,
                        const Names& /*names*/) {
  return workload::PatternKind{value.text().value_or("")};
}

/// A constant may be empty, which text() does not allow.
ColumnKind read_constant(const YamlMap& /*map*/, const YamlValue& value,
                         const Names& /*names*/) {
  const bool is_scalar = value.node().kind == YamlNode::Kind::kScalar;
  return workload::ChoiceKind{
      {{is_scalar ? value.node().scalar : value.text().value_or(""), 1}}};
}

ColumnKind read_boolean(const YamlMap& /*map*/, const YamlValue& value,
                        const Names& /*names*/) {
  return workload::BooleanKind{value.parsed(parse_percent).value_or(50)};
}

ColumnKind read_json(const YamlMap& /*map*/, const YamlValue& value,
                     const Names& names) {
  workload::JsonKind kind;
  for (const YamlValue& entry : value.entries()) {
    if (auto field = read_column(entry, names)) kind.fields.push_back(*field);
  }
  return kind;
}

const std::vector<KindReader>& kind_readers() {
  static const std::vector<KindReader> readers = {
      {"spread", {}, read_spread},
      {"integer", {}, read_integer},
      {"reference", {"skew"}, read_reference},
      {"decimal", {}, read_decimal},
      {"timestamp", {"increasing"}, read_timestamp},
      {"after", {"by"}, read_after},
      {"words", {"count"}, read_words},
      {"array", {"count"}, read_array},
      {"choice", {}, read_choice},
      {"cycle", {}, read_cycle},
      {"pattern", {}, read_pattern},
      {"constant", {}, read_constant},
      {"boolean", {}, read_boolean},
      {"json", {}, read_json},
  };
  return readers;
}

/// The reader whose name is a key of the map; nothing, reported, if none is.
const KindReader* find_reader(const YamlValue& value) {
  std::vector<std::string> names;
  for (const KindReader& reader : kind_readers()) {
    names.push_back(reader.name);
    for (const YamlNode& child : value.node().children) {
      if (child.key == reader.name) return &reader;
    }
  }
  value.report(fmt::format("column {} has no kind; there is {}", value.what(),
                           base::join(names, ", ")));
  return nullptr;
}

std::optional<ColumnKind> read_place(const YamlValue& value) {
  const auto index =
      value.choice("kind of column", {"serial", "parent", "ordinal"});
  if (!index) return std::nullopt;
  using Of = workload::PlaceKind::Of;
  constexpr std::array kOf = {Of::kRow, Of::kParent, Of::kOrdinal};
  return workload::PlaceKind{kOf[*index]};
}

std::optional<ColumnSpec> read_column(const YamlValue& value,
                                      const Names& names) {
  if (value.node().kind != YamlNode::Kind::kMap) {
    const auto kind = read_place(value);
    if (!kind) return std::nullopt;
    return ColumnSpec{value.node().key, *kind, 0};
  }
  const KindReader* reader = find_reader(value);
  if (reader == nullptr) return std::nullopt;
  std::vector<std::string> keys = reader->options;
  keys.insert(keys.end(), {reader->name, "nulls"});
  const YamlMap map(value, keys);
  return ColumnSpec{value.node().key,
                    reader->read(map, map.find(reader->name), names),
                    map.find("nulls").parsed(parse_percent).value_or(0)};
}

std::optional<workload::ParentSpec> read_parent(const YamlValue& value,
                                                const Names& names) {
  if (!value) return std::nullopt;
  const YamlMap map(value, {"table", "count"});
  return workload::ParentSpec{
      read_name(map.require("table"), "table", names.tables).value_or(""),
      read_count(map)};
}

workload::TableSpec read_table(const YamlValue& value, Names names) {
  const YamlMap map(value,
                    {"name", "rows", "fixed", "per", "sequence", "columns"});
  workload::TableSpec table;
  table.name = map.require("name").text().value_or("");
  table.fixed = map.find("fixed").flag().value_or(false);
  table.per = read_parent(map.find("per"), names);
  table.sequence = map.find("sequence").text().value_or("");
  const YamlValue rows = table.per ? map.find("rows") : map.require("rows");
  if (rows && table.per)
    rows.report_at_key(R"("rows" and "per" exclude each other)");
  table.rows = rows.integer(0, kMaxRows).value_or(0);
  const auto columns = map.require("columns").entries();
  for (const YamlValue& column : columns) {
    names.columns.push_back(column.node().key);
  }
  for (const YamlValue& column : columns) {
    if (auto spec = read_column(column, names)) table.columns.push_back(*spec);
  }
  return table;
}

std::vector<std::string> table_names(const YamlValue& tables) {
  std::vector<std::string> names;
  if (!tables) return names;
  for (const YamlNode& table : tables.node().children) {
    for (const YamlNode& child : table.children) {
      if (child.key == "name") names.push_back(child.scalar);
    }
  }
  return names;
}

}  // namespace

workload::GeneratorSpec load_generator(const std::filesystem::path& path) {
  const YamlNode root = parse_yaml(path, base::read_file(path));
  Diagnostics diagnostics(path);
  const YamlMap map(YamlValue(&root, "the generator settings", diagnostics),
                    {"vocabularies", "tables"});
  workload::GeneratorSpec spec;
  Names names;
  for (const YamlValue& words : map.find("vocabularies").entries()) {
    spec.vocabularies[words.node().key] =
        words.words().value_or(std::vector<std::string>{});
    names.vocabularies.push_back(words.node().key);
  }
  const YamlValue tables = map.require("tables");
  names.tables = table_names(tables);
  for (const YamlValue& table : tables.items("table")) {
    spec.tables.push_back(read_table(table, names));
  }
  diagnostics.throw_if_any();
  try {
    workload::check(spec);
  } catch (const base::Error& error) {
    throw ScenarioError({{path, 0, 0, error.what()}});
  }
  return spec;
}

}  // namespace sidegrade::scenario
