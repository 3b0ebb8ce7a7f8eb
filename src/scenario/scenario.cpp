#include "scenario/scenario.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "scenario/sections.h"
#include "scenario/yaml.h"
#include "workload/archive.h"

namespace sidegrade::scenario {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxRounds = 10000;
constexpr std::chrono::hours kMaxSettle(1);

std::string joined_texts(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> texts;
  texts.reserve(diagnostics.size());
  for (const Diagnostic& diagnostic : diagnostics) {
    texts.push_back(diagnostic.text());
  }
  return base::join(texts, "\n");
}

std::string read_scenario_text(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  std::string sentence;
  if (!fs::exists(status)) {
    sentence = "there is no such file";
  } else if (fs::is_directory(status)) {
    sentence = "this is a directory, not a scenario file";
  } else if (access(path.c_str(), R_OK) != 0) {
    sentence = "the file may not be read by this user";
  } else {
    return base::read_file(path);
  }
  throw ScenarioError({{path, 0, 0, sentence}});
}

std::optional<fs::path> resolved(const YamlValue& value,
                                 const Folders& folders) {
  const auto text = value.text();
  if (!text) return std::nullopt;
  return (folders.scenario / *text).lexically_normal();
}

/// A name that fits on one line of a table.
std::optional<std::string> one_line(const YamlValue& value) {
  auto text = value.text();
  if (!text || text->find('\n') == std::string::npos) return text;
  value.report(value.what() + " must be one line");
  return std::nullopt;
}

}  // namespace

std::string Diagnostic::text() const {
  if (line == 0) return fmt::format("{}: {}", file.string(), sentence);
  return fmt::format("{}:{}:{}: {}", file.string(), line, column, sentence);
}

ScenarioError::ScenarioError(std::vector<Diagnostic> diagnostics)
    : Error(joined_texts(diagnostics)), diagnostics_(std::move(diagnostics)) {}

std::optional<fs::path> existing_input(const YamlValue& value,
                                       const Folders& folders) {
  auto path = resolved(value, folders);
  if (!path) return std::nullopt;
  std::error_code ignored;
  const fs::file_status status = fs::status(*path, ignored);
  std::string fault;
  if (!fs::exists(status)) {
    fault = "there is no file";
  } else if (fs::is_directory(status) && !workload::is_archive(*path)) {
    fault = "there is no toc.dat, as in pg_dump's directory format, in";
  } else if (!fs::is_directory(status) && !fs::is_regular_file(status)) {
    fault = "a file is expected, but something else is";
  } else if (access(path->c_str(), R_OK) != 0) {
    fault = "this user may not read";
  } else {
    return path;
  }
  value.report(fmt::format("{}: {} {}", value.what(), fault, path->string()));
  return std::nullopt;
}

std::optional<fs::path> existing_directory(const YamlValue& value,
                                           const Folders& folders) {
  auto path = resolved(value, folders);
  if (!path) return std::nullopt;
  std::error_code ignored;
  const fs::file_status status = fs::status(*path, ignored);
  if (fs::is_directory(status)) return path;
  value.report(fmt::format(
      "{}: {} {}", value.what(), path->string(),
      fs::exists(status) ? "is not a directory" : "does not exist"));
  return std::nullopt;
}

Repetitions read_repetitions(const YamlValue& value) {
  const YamlMap map(value, {"rounds", "warmup", "order", "seed"});
  Repetitions spec;
  if (const auto rounds = map.find("rounds").integer(1, kMaxRounds)) {
    spec.rounds = static_cast<int>(*rounds);
  }
  if (const auto warmup = map.find("warmup").integer(0, kMaxRounds)) {
    spec.warmup = static_cast<int>(*warmup);
  }
  if (const auto order =
          map.find("order").choice("order", {"rotated", "random", "fixed"})) {
    spec.order = static_cast<Order>(*order);
  }
  if (const auto seed = map.find("seed").integer(0, INT64_MAX)) {
    spec.seed = static_cast<uint64_t>(*seed);
  }
  return spec;
}

StateSpec read_state(const YamlValue& value) {
  const YamlMap map(value, {"drop_caches", "settle"});
  StateSpec spec;
  spec.drop_caches = map.find("drop_caches").flag().value_or(spec.drop_caches);
  const YamlValue settle = map.find("settle");
  if (const auto time = settle.parsed(base::parse_duration)) {
    if (*time <= kMaxSettle) {
      spec.settle = *time;
    } else {
      settle.report("\"settle\" must be one hour at most");
    }
  }
  return spec;
}

Scenario load_scenario(const fs::path& path,
                       const fs::path& schemas_directory) {
  Scenario scenario;
  scenario.path = path;
  scenario.text = read_scenario_text(path);
  const YamlNode root = parse_yaml(path, scenario.text);
  Diagnostics diagnostics(path);
  const Folders folders{fs::absolute(path).parent_path(), schemas_directory};
  const YamlMap map(YamlValue(&root, "scenario", diagnostics),
                    {"name", "description", "postgres", "workload", "targets",
                     "repetitions", "state"});
  scenario.name = one_line(map.require("name")).value_or("");
  scenario.description = map.find("description").text().value_or("");
  scenario.postgres = read_postgres(map.find("postgres"), folders);
  scenario.workload = read_workload(map.require("workload"), folders);
  read_targets(map.require("targets"), folders, scenario);
  scenario.repetitions = read_repetitions(map.find("repetitions"));
  scenario.state = read_state(map.find("state"));
  diagnostics.throw_if_any();
  return scenario;
}

Diagnostic target_diagnostic(const Scenario& scenario, size_t target,
                             const std::string& sentence) {
  const Location place = scenario.target_locations.at(target);
  return {scenario.path, place.line, place.column, sentence};
}

}  // namespace sidegrade::scenario
