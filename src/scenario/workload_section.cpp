#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "scenario/sections.h"
#include "workload/archive.h"

namespace sidegrade::scenario {
namespace {

namespace fs = std::filesystem;
using workload::GenerateSpec;
using workload::PhaseKind;
using workload::WorkloadSpec;

constexpr double kMaxScale = 1e6;
constexpr int64_t kMaxJobs = 64;
constexpr std::chrono::hours kMaxTimeout(7 * 24);

std::vector<std::string> shipped_schemas(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (fs::exists(entry->path() / "generator.yaml", ignored)) {
      names.push_back(entry->path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

GenerateSpec read_generate(const YamlValue& value, const Folders& folders) {
  const YamlMap map(value, {"schema", "scale", "seed"});
  GenerateSpec spec;
  const auto names = shipped_schemas(folders.schemas);
  if (const auto schema = map.require("schema").choice("schema", names)) {
    spec.schema = names[*schema];
  }
  spec.scale =
      map.find("scale").positive_number(kMaxScale).value_or(spec.scale);
  if (const auto seed = map.find("seed").integer(0, INT64_MAX)) {
    spec.seed = static_cast<uint64_t>(*seed);
  }
  return spec;
}

/// One input, or a list of them.
std::vector<fs::path> read_inputs(const YamlValue& value,
                                  const Folders& folders) {
  std::vector<YamlValue> items = {value};
  if (value && value.node().kind == YamlNode::Kind::kList) {
    items = value.items(value.what());
    if (items.empty()) value.report(value.what() + " is an empty list");
  }
  std::vector<fs::path> inputs;
  for (const YamlValue& item : items) {
    if (const auto path = existing_input(item, folders)) {
      inputs.push_back(*path);
    }
  }
  return inputs;
}

/// What there is to import: files, or a shipped schema with its data.
void read_source(const YamlMap& map, const Folders& folders,
                 WorkloadSpec& spec) {
  const YamlValue generate = map.find("generate");
  const YamlValue schema = map.find("schema");
  const YamlValue data = map.find("data");
  spec.schema = read_inputs(schema, folders);
  spec.data = read_inputs(data, folders);
  if (generate) {
    spec.generate = read_generate(generate, folders);
    for (const YamlValue& file : {schema, data}) {
      if (!file) continue;
      file.report_at_key(file.what() + " and \"generate\" exclude each other");
    }
  } else if (!data) {
    map.value().report(map.value().what() +
                       R"( lacks "data" (an SQL file) or "generate")");
  }
}

std::vector<std::string> phase_names() {
  std::vector<std::string> names;
  for (const PhaseKind kind : workload::all_phases()) {
    names.push_back(to_string(kind));
  }
  return names;
}

/// Whether `kind` may follow `phases`; reports why not.
bool check_order(const YamlValue& item, PhaseKind kind,
                 const std::vector<PhaseKind>& phases) {
  if (phases.empty() || phases.back() < kind) return true;
  if (std::find(phases.begin(), phases.end(), kind) != phases.end()) {
    item.report(fmt::format("phase \"{}\" is there twice", to_string(kind)));
  } else {
    item.report(fmt::format(R"(phase "{}" must come before "{}")",
                            to_string(kind), to_string(phases.back())));
  }
  return false;
}

void check_required(const YamlValue& value,
                    const std::vector<PhaseKind>& phases) {
  for (const PhaseKind kind :
       {PhaseKind::kCreateDatabase, PhaseKind::kImport}) {
    if (std::find(phases.begin(), phases.end(), kind) != phases.end()) continue;
    value.report(fmt::format(R"("phases" lacks "{}")", to_string(kind)));
  }
}

/// The phases as listed, or all.
std::vector<PhaseKind> read_phases(const YamlValue& value) {
  if (!value) return workload::all_phases();
  std::vector<PhaseKind> phases;
  const auto items = value.items("a phase");
  for (const YamlValue& item : items) {
    const auto index = item.choice("phase", phase_names());
    if (!index) continue;
    const PhaseKind kind = workload::all_phases()[*index];
    if (check_order(item, kind, phases)) phases.push_back(kind);
  }
  // A phase that was reported is not missed as well.
  const bool is_list = value.node().kind == YamlNode::Kind::kList;
  if (is_list && phases.size() == items.size()) {
    check_required(value, phases);
  }
  return phases;
}

/// How the scripts are executed.
void read_execution(const YamlMap& map, WorkloadSpec& spec) {
  if (const auto client =
          map.find("client").choice("client", {"native", "psql"})) {
    spec.client =
        *client == 0 ? workload::Client::kNative : workload::Client::kPsql;
  }
  if (const auto on_error =
          map.find("on_error").choice("on_error", {"stop", "continue"})) {
    spec.on_error = *on_error == 0 ? workload::OnError::kStop
                                   : workload::OnError::kContinue;
  }
  const auto flag = [&](const char* key, bool otherwise) {
    return map.find(key).flag().value_or(otherwise);
  };
  spec.single_transaction = flag("single_transaction", false);
  spec.pipeline = flag("pipeline", spec.client == workload::Client::kNative);
  spec.jobs =
      static_cast<int>(map.find("jobs").integer(1, kMaxJobs).value_or(1));
  spec.split_tables = flag("split_tables", false);
  spec.create_roles = flag("create_roles", false);
}

void read_timeout(const YamlValue& value, WorkloadSpec& spec) {
  const auto time = value.parsed(base::parse_duration);
  if (!time) return;
  if (*time > kMaxTimeout) {
    value.report("\"timeout\" must be 7 days (168h) at most");
  } else if (*time <= std::chrono::milliseconds(0)) {
    value.report("\"timeout\" must be above zero");
  } else {
    spec.timeout = time;
  }
}

/// Reports what psql can't do: it is one connection that waits for each answer,
/// and one run of it reads one file.
void check_psql(const YamlMap& map, const WorkloadSpec& spec) {
  if (const YamlValue pipeline = map.find("pipeline")) {
    pipeline.report_at_key(
        "\"pipeline\" needs client: native; psql waits for each answer");
  }
  if (spec.jobs > 1) {
    map.find("jobs").report_at_key(
        "\"jobs\" above 1 need client: native; psql has one connection");
  }
  if (spec.split_tables) {
    map.find("split_tables")
        .report_at_key(
            "\"split_tables\" needs client: native; psql has one connection");
  }
  if (spec.create_roles) {
    map.find("create_roles")
        .report_at_key(
            "\"create_roles\" needs client: native; psql's scripts are not "
            "read "
            "ahead");
  }
  const bool one_file = !spec.generate && spec.schema.empty() &&
                        spec.data.size() == 1 &&
                        !workload::is_archive(spec.data.front());
  if (spec.single_transaction && !one_file) {
    map.find("single_transaction")
        .report_at_key(
            "\"single_transaction\" of more than one file needs client: "
            "native; psql's ends with each file");
  }
}

/// Reports what excludes each other.
void check_combinations(const YamlMap& map, const WorkloadSpec& spec) {
  if (spec.jobs > 1 && spec.single_transaction) {
    map.find("jobs").report_at_key(
        "\"jobs\" above 1 and \"single_transaction\" exclude each other: a "
        "transaction has one connection");
  }
  if (spec.client == workload::Client::kPsql) {
    check_psql(map, spec);
  } else if (spec.split_tables && spec.jobs == 1) {
    map.find("split_tables")
        .report_at_key(
            "\"split_tables\" needs \"jobs\" above 1: one connection has "
            "nothing to share");
  }
}

}  // namespace

WorkloadSpec read_workload(const YamlValue& value, const Folders& folders) {
  const YamlMap map(
      value, {"schema", "data", "generate", "phases", "client", "on_error",
              "single_transaction", "pipeline", "jobs", "split_tables",
              "create_roles", "timeout", "volatile_tables"});
  WorkloadSpec spec;
  if (!value || value.node().kind != YamlNode::Kind::kMap) return spec;
  read_source(map, folders, spec);
  spec.phases = read_phases(map.find("phases"));
  read_execution(map, spec);
  read_timeout(map.find("timeout"), spec);
  check_combinations(map, spec);
  spec.volatile_tables =
      map.find("volatile_tables").words().value_or(std::vector<std::string>());
  return spec;
}

}  // namespace sidegrade::scenario
