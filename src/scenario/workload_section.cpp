#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "scenario/sections.h"

namespace sidegrade::scenario {
namespace {

namespace fs = std::filesystem;
using workload::GenerateSpec;
using workload::PhaseKind;
using workload::WorkloadSpec;

constexpr double kMaxScale = 1e6;

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

/// What there is to import: files, or a shipped schema with its data.
void read_source(const YamlMap& map, const Folders& folders,
                 WorkloadSpec& spec) {
  const YamlValue generate = map.find("generate");
  const YamlValue schema = map.find("schema");
  const YamlValue data = map.find("data");
  spec.schema = existing_file(schema, folders);
  spec.data = existing_file(data, folders);
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

}  // namespace

WorkloadSpec read_workload(const YamlValue& value, const Folders& folders) {
  const YamlMap map(value, {"schema", "data", "generate", "phases", "client",
                            "on_error", "volatile_tables"});
  WorkloadSpec spec;
  if (!value || value.node().kind != YamlNode::Kind::kMap) return spec;
  read_source(map, folders, spec);
  spec.phases = read_phases(map.find("phases"));
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
  spec.volatile_tables =
      map.find("volatile_tables").words().value_or(std::vector<std::string>());
  return spec;
}

}  // namespace sidegrade::scenario
