#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "store/format.h"

namespace sidegrade::store {
namespace {

using Json = nlohmann::ordered_json;

/// Doubles hold integers exactly up to here.
constexpr double kLargestInteger = 9007199254740992.0;

Json number(double value) {
  if (std::trunc(value) == value && std::abs(value) <= kLargestInteger) {
    return static_cast<int64_t>(value);
  }
  return value;
}

Json to_json(const Metrics& metrics) {
  Json json = Json::object();
  for (const auto& [name, value] : metrics) json[name] = number(value);
  return json;
}

Json to_json(const host::Facts& facts) {
  Json json = Json::object();
  for (const auto& [name, fact] : facts) {
    if (fact.absent_because.empty()) {
      json[name] = fact.value;
    } else {
      json[name] = {{"absent", fact.absent_because}};
    }
  }
  return json;
}

Json to_json(const std::vector<TableCheck>& tables) {
  Json json = Json::array();
  for (const TableCheck& table : tables) {
    Json entry = {{"name", table.name}, {"rows", table.rows}};
    if (!table.checksum.empty()) entry["checksum"] = table.checksum;
    json.push_back(std::move(entry));
  }
  return json;
}

Json to_json(const Failure& failure) {
  return {{"step", failure.step},
          {"sentence", failure.sentence},
          {"hint", failure.hint}};
}

/// One list a name over all phases, null in a phase that hasn't the name.
template <typename Map, typename Convert>
Json columns(const std::vector<PhaseRecord>& phases,
             const std::function<const Map*(const PhaseRecord&)>& map_of,
             Convert convert) {
  Json json = Json::object();
  for (size_t i = 0; i < phases.size(); ++i) {
    const Map* map = map_of(phases[i]);
    if (map == nullptr) continue;
    for (const auto& [name, value] : *map) {
      Json& column = json[name];
      if (column.is_null()) column = Json(std::vector<Json>(phases.size()));
      column[i] = convert(value);
    }
  }
  return json;
}

Json metric_columns(
    const std::vector<PhaseRecord>& phases,
    const std::function<const Metrics*(const PhaseRecord&)>& map_of) {
  return columns<Metrics>(phases, map_of, number);
}

Json device_columns(const std::vector<PhaseRecord>& phases) {
  std::set<std::string> names;
  for (const PhaseRecord& phase : phases) {
    for (const auto& [name, metrics] : phase.devices) names.insert(name);
  }
  Json json = Json::object();
  for (const std::string& name : names) {
    json[name] = metric_columns(phases, [&](const PhaseRecord& phase) {
      const auto found = phase.devices.find(name);
      return found == phase.devices.end() ? nullptr : &found->second;
    });
  }
  return json;
}

/// Moves the entries of `counters` whose names end in `_s` into a new object.
Json take_seconds(Json& counters) {
  Json seconds = Json::object();
  Json rest = Json::object();
  for (auto& [name, column] : counters.items()) {
    (name.ends_with("_s") ? seconds : rest)[name] = std::move(column);
  }
  counters = std::move(rest);
  return seconds;
}

void add_unless_empty(Json& json, const char* name, Json value) {
  if (!value.empty()) json[name] = std::move(value);
}

/// `text` is what the reader kept, so it is a JSON object or empty.
void merge_unknown(Json& json, const std::string& text) {
  if (text.empty()) return;
  const Json unknown = Json::parse(text, nullptr, false);
  if (!unknown.is_object()) {
    throw base::Error("the unknown fields of a record are not a JSON object");
  }
  json.update(unknown, true);
}

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json details_of(const Sample& sample, Json counters) {
  using Reasons = std::map<std::string, std::string>;
  Json details = Json::object();
  add_unless_empty(details, "counters", std::move(counters));
  add_unless_empty(
      details, "absent",
      columns<Reasons>(
          sample.phases, [](const PhaseRecord& phase) { return &phase.absent; },
          [](const std::string& reason) { return Json(reason); }));
  add_unless_empty(details, "devices", device_columns(sample.phases));
  add_unless_empty(details, "overhead_s", to_json(sample.overhead_s));
  add_unless_empty(details, "tables", to_json(sample.tables));
  add_unless_empty(details, "target_facts", to_json(sample.target_facts));
  add_unless_empty(details, "postgres_settings", sample.postgres_settings);
  return details;
}

}  // namespace

std::string tables_sha256(const std::vector<TableCheck>& tables) {
  std::set<std::string> lines;
  for (const TableCheck& table : tables) {
    if (table.checksum.empty()) continue;
    lines.insert(table.name + '\t' + std::to_string(table.rows) + '\t' +
                 table.checksum + '\n');
  }
  if (lines.empty()) return "";
  std::string text;
  for (const std::string& line : lines) text += line;
  return base::sha256_of_text(text);
}

std::string header_line(const RunHeader& header) {
  Json run = {{"run_id", header.run_id},
              {"host", header.host},
              {"started_at", header.started_at},
              {"kernel", header.kernel},
              {"boot_id", header.boot_id},
              {"tool_version", header.tool_version},
              {"scenario_name", header.scenario_name},
              {"scenario_sha256", header.scenario_sha256},
              {"scenario_text", header.scenario_text}};
  add_unless_empty(run, "targets", header.targets);
  add_unless_empty(run, "input_sha256", header.input_sha256);
  add_unless_empty(run, "environment", to_json(header.environment));
  merge_unknown(run, header.unknown_fields);
  return to_line({{"format", "sidegrade-results"},
                  {"version", kFormatVersion},
                  {"run", std::move(run)}});
}

std::string record_line(const Sample& sample) {
  Json json = {
      {"record", "sample"}, {"trial", sample.trial}, {"round", sample.round}};
  if (sample.warmup) json["warmup"] = true;
  json["target"] = sample.target;
  json["started_at"] = sample.started_at;
  if (sample.uptime_s > 0) json["uptime_s"] = number(sample.uptime_s);
  Json names = Json::array();
  for (const PhaseRecord& phase : sample.phases) names.push_back(phase.name);
  Json counters = metric_columns(
      sample.phases, [](const PhaseRecord& phase) { return &phase.metrics; });
  json["phases"] = std::move(names);
  json["seconds"] = take_seconds(counters);
  const std::string fingerprint = tables_sha256(sample.tables);
  if (!fingerprint.empty()) json["tables_sha256"] = fingerprint;
  add_unless_empty(json, "warnings", sample.warnings);
  if (sample.failure) json["failure"] = to_json(*sample.failure);
  add_unless_empty(json, "details", details_of(sample, std::move(counters)));
  merge_unknown(json, sample.unknown_fields);
  return to_line(json);
}

std::string record_line(const Note& note) {
  Json json = {{"record", "note"}, {"kind", note.kind}, {"text", note.text}};
  add_unless_empty(json, "facts", to_json(note.facts));
  if (note.invalidates_run) json["invalidates_run"] = true;
  merge_unknown(json, note.unknown_fields);
  return to_line(json);
}

}  // namespace sidegrade::store
