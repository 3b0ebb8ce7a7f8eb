#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>

#include "store/format.h"
#include "store/times_reader.h"

namespace sidegrade::store {
namespace {

using Json = nlohmann::ordered_json;

Json parse_object(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw base::Error("this is not a JSON object");
  return json;
}

/// `json[name]` in `value`'s type, if it is there.
template <typename Value>
void read(const Json& json, const char* name, Value& value) {
  if (const auto found = json.find(name); found != json.end()) {
    found->get_to(value);
  }
}

void read(const Json& json, const char* name, host::Facts& facts) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  for (const auto& [fact, value] : found->items()) {
    if (value.is_object()) {
      value.at("absent").get_to(facts[fact].absent_because);
    } else {
      value.get_to(facts[fact].value);
    }
  }
}

void read(const Json& json, const char* name, std::vector<TableCheck>& tables) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  for (const Json& entry : *found) {
    TableCheck& table = tables.emplace_back();
    entry.at("name").get_to(table.name);
    entry.at("rows").get_to(table.rows);
    read(entry, "checksum", table.checksum);
  }
}

void read(const Json& json, const char* name, std::optional<Failure>& failure) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  failure.emplace();
  read(*found, "step", failure->step);
  read(*found, "sentence", failure->sentence);
  read(*found, "hint", failure->hint);
}

/// Undoes the writer's columns: the i-th value of each list goes to
/// `map_of(phase i)`.
template <typename MapOf>
void read_columns(const Json& json, const char* name,
                  std::vector<PhaseRecord>& phases, MapOf map_of) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  for (const auto& [key, column] : found->items()) {
    if (!column.is_array() || column.size() != phases.size()) {
      throw base::Error(
          fmt::format("\"{}\" has not one value for each of the {} phases", key,
                      phases.size()));
    }
    for (size_t i = 0; i < phases.size(); ++i) {
      if (!column[i].is_null()) column[i].get_to(map_of(phases[i])[key]);
    }
  }
}

/// The fields of `json` but the known ones, as JSON object text.
std::string unknown_fields(const Json& json,
                           std::initializer_list<std::string_view> known) {
  Json unknown = Json::object();
  for (const auto& [name, value] : json.items()) {
    const bool is_known =
        std::find(known.begin(), known.end(), name) != known.end();
    if (!is_known) unknown[name] = value;
  }
  return unknown.empty() ? "" : unknown.dump();
}

void read_details(const Json& json, Sample& sample) {
  if (!json.is_object()) throw base::Error("\"details\" is not an object");
  const auto metrics = [](PhaseRecord& phase) -> Metrics& {
    return phase.metrics;
  };
  read_columns(json, "counters", sample.phases, metrics);
  read_columns(
      json, "absent", sample.phases,
      [](PhaseRecord & phase) -> auto& { return phase.absent; });
  if (const auto devices = json.find("devices"); devices != json.end()) {
    for (const auto& device : devices->items()) {
      read_columns(*devices, device.key().c_str(), sample.phases,
                   [&](PhaseRecord& phase) -> Metrics& {
                     return phase.devices[device.key()];
                   });
    }
  }
  read(json, "overhead_s", sample.overhead_s);
  read(json, "tables", sample.tables);
  read(json, "target_facts", sample.target_facts);
  read(json, "postgres_settings", sample.postgres_settings);
}

std::string unknown_sample_fields(const Json& json) {
  std::string top =
      unknown_fields(json, {"record", "trial", "round", "warmup", "target",
                            "started_at", "uptime_s", "phases", "seconds",
                            "tables_sha256", "warnings", "failure", "details"});
  const auto details = json.find("details");
  if (details == json.end()) return top;
  const std::string inner =
      unknown_fields(*details, {"counters", "absent", "devices", "overhead_s",
                                "tables", "target_facts", "postgres_settings"});
  if (inner.empty()) return top;
  Json both = top.empty() ? Json::object() : Json::parse(top);
  both["details"] = Json::parse(inner);
  return both.dump();
}

Sample parse_sample(const Json& json, Detail detail) {
  Sample sample;
  json.at("trial").get_to(sample.trial);
  json.at("target").get_to(sample.target);
  read(json, "round", sample.round);
  read(json, "warmup", sample.warmup);
  read(json, "started_at", sample.started_at);
  read(json, "uptime_s", sample.uptime_s);
  const Json& names = json.at("phases");
  sample.phases.resize(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    names.at(i).get_to(sample.phases[i].name);
  }
  read_columns(json, "seconds", sample.phases,
               [](PhaseRecord& phase) -> Metrics& { return phase.metrics; });
  read(json, "tables_sha256", sample.tables_sha256);
  read(json, "warnings", sample.warnings);
  read(json, "failure", sample.failure);
  if (detail == Detail::kTimes) return sample;
  if (const auto details = json.find("details"); details != json.end()) {
    read_details(*details, sample);
  }
  sample.unknown_fields = unknown_sample_fields(json);
  return sample;
}

Note parse_note(const Json& json) {
  Note note;
  json.at("kind").get_to(note.kind);
  read(json, "text", note.text);
  read(json, "facts", note.facts);
  read(json, "invalidates_run", note.invalidates_run);
  note.unknown_fields = unknown_fields(
      json, {"record", "kind", "text", "facts", "invalidates_run"});
  return note;
}

RunHeader parse_run(const Json& json) {
  RunHeader header;
  json.at("run_id").get_to(header.run_id);
  json.at("host").get_to(header.host);
  json.at("started_at").get_to(header.started_at);
  json.at("kernel").get_to(header.kernel);
  json.at("boot_id").get_to(header.boot_id);
  read(json, "tool_version", header.tool_version);
  read(json, "scenario_name", header.scenario_name);
  read(json, "scenario_sha256", header.scenario_sha256);
  read(json, "scenario_text", header.scenario_text);
  read(json, "targets", header.targets);
  read(json, "input_sha256", header.input_sha256);
  read(json, "environment", header.environment);
  header.unknown_fields = unknown_fields(
      json, {"run_id", "host", "started_at", "kernel", "boot_id",
             "tool_version", "scenario_name", "scenario_sha256",
             "scenario_text", "targets", "input_sha256", "environment"});
  return header;
}

/// The library's message without its error number in brackets.
[[noreturn]] void throw_translated(const Json::exception& error) {
  const std::string_view what = error.what();
  const size_t end = what.find("] ");
  throw base::Error(
      fmt::format("a field is missing or of the wrong type: {}",
                  end == std::string_view::npos ? what : what.substr(end + 2)));
}

}  // namespace

NewerFormat::NewerFormat(int version)
    : Error(fmt::format("the file has format version {}; this sidegrade reads "
                        "up to version {}",
                        version, kFormatVersion)),
      version_(version) {}

RunHeader parse_header(std::string_view line) {
  const Json json = parse_object(line);
  try {
    if (json.at("format").get<std::string>() != "sidegrade-results") {
      throw base::Error("this is not the header of a sidegrade results file");
    }
    const int version = json.at("version").get<int>();
    if (version > kFormatVersion) throw NewerFormat(version);
    return parse_run(json.at("run"));
  } catch (const Json::exception& error) {
    throw_translated(error);
  }
}

Record parse_record(std::string_view line, Detail detail) {
  if (detail == Detail::kTimes) {
    if (std::optional<Sample> sample = read_times(line)) {
      return *std::move(sample);
    }
  }
  const Json json = parse_object(line);
  try {
    const std::string kind = json.at("record").get<std::string>();
    if (kind == "sample") return parse_sample(json, detail);
    if (kind == "note") return parse_note(json);
    return UnknownRecord{kind};
  } catch (const Json::exception& error) {
    throw_translated(error);
  }
}

}  // namespace sidegrade::store
