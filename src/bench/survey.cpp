#include "bench/survey.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "bench/layout.h"
#include "host/facts.h"
#include "postgres/cluster.h"
#include "postgres/psql.h"
#include "scenario/generator_file.h"
#include "store/store.h"
#include "workload/execution.h"

namespace sidegrade::bench {
namespace {

namespace fs = std::filesystem;

/// Stands for a trial's name in commands that are only shown.
constexpr const char* kTrialId = "RUN";
/// An empty cluster of PostgreSQL 15 and its first two WAL segments.
constexpr uint64_t kEmptyClusterBytes = 64'000'000;
constexpr uint64_t kDefaultMaxWalBytes = uint64_t{1} << 30;
/// Tables and indexes are this much larger than their dump (shop: 1.9).
constexpr uint64_t kGrowth = 2;
/// SQL is about this much larger than its compressed file or archive.
constexpr uint64_t kCompression = 5;
/// Generated data are estimated from this much of them at most.
constexpr double kProbeScale = 0.05;

base::User find_owner(const scenario::PostgresSpec& postgres) {
  if (!base::running_as_root()) return base::current_user();
  const std::string name =
      postgres.run_as.empty() ? "postgres" : postgres.run_as;
  const auto user = base::find_user(name);
  if (user) return *user;
  throw base::Error(
      fmt::format("there is no account \"{}\" to run PostgreSQL as", name),
      "Name one with run_as: in the scenario's postgres section; root can't.");
}

workload::ShippedSchema load_schema(const fs::path& schemas,
                                    const std::string& name) {
  const fs::path directory = schemas / name;
  return {directory, scenario::load_generator(directory / "generator.yaml")};
}

uint64_t estimate_generated_bytes(const workload::GenerateSpec& spec,
                                  const workload::GeneratorSpec& generator) {
  const double scale = std::min(spec.scale, kProbeScale);
  uint64_t bytes = 0;
  workload::generate_data(
      generator, scale, spec.seed, "",
      [&](std::string_view piece) { bytes += piece.size(); });
  return static_cast<uint64_t>(static_cast<double>(bytes) * spec.scale / scale);
}

void find_generated(const workload::GenerateSpec& spec, const Paths& paths,
                    Survey& found) {
  found.schema = load_schema(paths.schemas, spec.schema);
  const fs::path file =
      workload::generated_file(spec, *found.schema, paths.cache);
  found.inputs = {workload::tables_file(*found.schema), file};
  found.inputs_exist = fs::exists(file);
  found.input_bytes = found.inputs_exist ? fs::file_size(file)
                                         : estimate_generated_bytes(
                                               spec, found.schema->generator);
}

uint64_t bytes_in(const fs::path& source) {
  if (!fs::is_directory(source)) return fs::file_size(source);
  uint64_t sum = 0;
  for (const auto& entry : fs::directory_iterator(source)) {
    if (entry.is_regular_file()) sum += entry.file_size();
  }
  return sum;
}

void find_source(const fs::path& source, const Paths& paths, Survey& found) {
  const std::vector<fs::path> files =
      workload::planned_files(source, found.installation, paths.cache);
  const bool exist =
      std::all_of(files.begin(), files.end(),
                  [](const fs::path& file) { return fs::exists(file); });
  if (exist) {
    for (const fs::path& file : files) found.input_bytes += bytes_in(file);
  } else {
    found.input_bytes += kCompression * bytes_in(source);
    found.inputs_exist = false;
  }
  found.inputs.insert(found.inputs.end(), files.begin(), files.end());
}

void find_inputs(const scenario::Scenario& scenario, const Paths& paths,
                 Survey& found) {
  const workload::WorkloadSpec& spec = scenario.workload;
  if (spec.generate) {
    find_generated(*spec.generate, paths, found);
    return;
  }
  found.inputs_exist = true;
  for (const auto* sources : {&spec.schema, &spec.data}) {
    for (const fs::path& source : *sources) find_source(source, paths, found);
  }
}

std::optional<dev_t> device_of(const fs::path& path) {
  struct stat status {};
  fs::path existing = fs::absolute(path);
  while (stat(existing.c_str(), &status) != 0) {
    if (existing == existing.parent_path()) return std::nullopt;
    existing = existing.parent_path();
  }
  return status.st_dev;
}

void check_space(const scenario::Scenario& scenario, Survey& found) {
  for (size_t i = 0; i < scenario.targets.size(); ++i) {
    const uint64_t needed = needed_bytes(found.input_bytes, scenario.postgres);
    const uint64_t free = storage::usable_bytes(scenario.targets[i]);
    found.space_needed.push_back(needed);
    found.space_free.push_back(free);
    const std::string sentence =
        fmt::format("the target has {}, about {} are needed for {} of SQL",
                    base::format_bytes(static_cast<double>(free)),
                    base::format_bytes(static_cast<double>(needed)),
                    base::format_bytes(static_cast<double>(found.input_bytes)));
    if (free < kEmptyClusterBytes + found.input_bytes) {
      found.obstacles.push_back(
          scenario::target_diagnostic(scenario, i, sentence));
    } else if (free < needed) {
      found.warnings.push_back(
          {fmt::format("target {}: {}", scenario.targets[i].name, sentence),
           "Make it larger if the trial runs out of space."});
    }
  }
}

/// Whether trials read files of the cache.
bool uses_cache(const workload::WorkloadSpec& spec) {
  const auto made = [](const fs::path& file) {
    return !workload::is_plain(file);
  };
  return spec.generate ||
         std::any_of(spec.schema.begin(), spec.schema.end(), made) ||
         std::any_of(spec.data.begin(), spec.data.end(), made);
}

/// Results and inputs made by us should not lie where the measured writes go.
void check_own_folders(const scenario::Scenario& scenario, const Paths& paths,
                       Survey& found) {
  const auto warn_of = [&](const fs::path& folder, const char* what,
                           const char* option) {
    std::vector<std::string> targets;
    for (const storage::TargetSpec& target : scenario.targets) {
      if (device_of(folder) == device_of(storage::backing_directory(target))) {
        targets.push_back(target.name);
      }
    }
    if (targets.empty()) return;
    found.warnings.push_back(
        {fmt::format("the {} in {} lie on the disk that holds {}", what,
                     folder.string(), base::join(targets, ", ")),
         fmt::format("Name a folder on another disk with {}, if there is one.",
                     option)});
  };
  warn_of(paths.results, "results", "--results");
  if (uses_cache(scenario.workload)) {
    warn_of(paths.cache,
            scenario.workload.generate ? "generated data" : "unpacked data",
            "--cache-dir");
  }
}

double sample_seconds(const store::Sample& sample) {
  double sum = 0;
  for (const store::PhaseRecord& phase : sample.phases) {
    const auto real = phase.metrics.find("real_s");
    if (real != phase.metrics.end()) sum += real->second;
  }
  for (const auto& [step, seconds] : sample.overhead_s) sum += seconds;
  return sum;
}

std::optional<double> expect_seconds(const scenario::Scenario& scenario,
                                     const Survey& survey, const Paths& paths) {
  if (!fs::is_directory(paths.results)) return std::nullopt;
  double sum = 0;
  double samples = 0;
  for (const store::Run& run : store::load(paths.results).runs) {
    if (run.header.scenario_name != scenario.name ||
        run.header.host != host::host_name()) {
      continue;
    }
    for (const store::Sample& sample : run.samples) {
      if (sample.failure) continue;
      sum += sample_seconds(sample);
      samples += 1;
    }
  }
  if (samples == 0) return std::nullopt;
  return sum / samples * static_cast<double>(survey.trials.size());
}

/// What a trial's cluster would be, for showing its commands.
postgres::ClusterSpec planned_cluster(const scenario::Scenario& scenario,
                                      const Survey& survey, const Paths& paths,
                                      const fs::path& folder) {
  return {.installation = survey.installation,
          .owner = survey.owner,
          .data_directory = data_directory_of(folder),
          .private_directory = private_directory_of(paths, kTrialId),
          .settings = scenario.postgres.settings,
          .initdb_arguments = scenario.postgres.initdb_arguments};
}

std::string shown_as(const base::Command& command) {
  std::string text = base::to_shell_text(command);
  if (command.input) {
    text += " < " + base::to_shell_text({.argv = {command.input->string()}});
  }
  if (!command.user) return text;
  return fmt::format("(as {}) {}", command.user->name, text);
}

}  // namespace

uint64_t needed_bytes(uint64_t input_bytes,
                      const scenario::PostgresSpec& postgres) {
  uint64_t max_wal = kDefaultMaxWalBytes;
  const auto setting = postgres.settings.find("max_wal_size");
  if (setting != postgres.settings.end()) {
    try {
      // PostgreSQL's units are powers of 1024 though spelt kB, MB, GB.
      max_wal = base::parse_bytes(setting->second) / 1000 * 1024;
    } catch (const base::Error&) {
      max_wal = kDefaultMaxWalBytes;  // the server itself will judge it
    }
  }
  return kEmptyClusterBytes + kGrowth * input_bytes +
         std::min(kGrowth * input_bytes, max_wal);
}

Survey survey(const scenario::Scenario& scenario, const Paths& paths) {
  Survey found;
  found.trials = scenario::plan_trials(scenario);
  found.installation = postgres::find_installation(scenario.postgres.bin_dir);
  found.owner = find_owner(scenario.postgres);
  found.warnings = scenario::warnings(scenario);
  find_inputs(scenario, paths, found);
  for (size_t i = 0; i < scenario.targets.size(); ++i) {
    for (const storage::Obstacle& obstacle :
         storage::obstacles(scenario.targets[i], found.owner)) {
      found.obstacles.push_back(scenario::target_diagnostic(
          scenario, i,
          fmt::format("{}. {}", obstacle.sentence, obstacle.next_step)));
    }
  }
  if (found.obstacles.empty()) check_space(scenario, found);
  if (scenario.state.drop_caches && !base::running_as_root()) {
    found.warnings.push_back({"caches can't be dropped: that needs root",
                              "Run as root, or leave state.drop_caches out."});
  }
  check_own_folders(scenario, paths, found);
  found.expected_s = expect_seconds(scenario, found, paths);
  return found;
}

std::vector<std::string> commands_of_trial(const scenario::Scenario& scenario,
                                           const Survey& survey,
                                           const Paths& paths, size_t target) {
  const storage::TargetSpec& spec = scenario.targets[target];
  std::vector<std::string> lines =
      storage::planned_commands(spec, kTrialId, paths.runtime);
  const postgres::ClusterSpec cluster =
      planned_cluster(scenario, survey, paths,
                      storage::planned_folder(spec, kTrialId, paths.runtime));
  lines.push_back(shown_as(postgres::initdb_command(cluster)));
  lines.push_back(shown_as(postgres::server_command(cluster)));
  if (scenario.workload.client == workload::Client::kPsql) {
    for (const fs::path& file : survey.inputs) {
      lines.push_back(shown_as(postgres::psql_command(
          cluster, {.socket_directory = cluster.private_directory},
          {.database = workload::kDatabase,
           .script = file,
           .on_error = scenario.workload.on_error,
           .single_transaction = scenario.workload.single_transaction})));
    }
  }
  for (std::string& line :
       storage::planned_teardown(spec, kTrialId, paths.runtime)) {
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sidegrade::bench
