#include "bench/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "bench/environment.h"
#include "bench/needs.h"
#include "bench/postgres_rig.h"
#include "bench/restore.h"
#include "bench/survey.h"
#include "host/block.h"

namespace sidegrade::bench {
namespace {

namespace fs = std::filesystem;
using std::chrono::system_clock;

/// Sorts by time; the random end keeps apart two runs of one second.
std::string new_run_id() {
  std::random_device random;
  return fmt::format("{}-{:04x}", base::compact_timestamp(system_clock::now()),
                     random() & 0xffffU);
}

std::vector<base::FileLock> lock_targets(const scenario::Scenario& scenario,
                                         base::UndoStack& undo) {
  std::vector<base::FileLock> locks;
  for (const storage::TargetSpec& target : scenario.targets) {
    const fs::path path = storage::lock_path(target);
    undo.promise({"lock", {path.string()}});
    auto lock = base::FileLock::try_acquire(path);
    if (!lock) {
      throw base::Error(fmt::format("another run uses target {} ({} is locked)",
                                    target.name, path.string()),
                        "Wait until it has ended; two runs at once would "
                        "measure each other.");
    }
    locks.push_back(std::move(*lock));
  }
  return locks;
}

/// The block devices that hold the targets (or their images).
std::vector<std::string> devices_of(const scenario::Scenario& scenario) {
  std::vector<std::string> names;
  for (const storage::TargetSpec& target : scenario.targets) {
    for (const host::BlockDevice& device :
         host::devices_under({}, storage::backing_directory(target))) {
      if (std::find(names.begin(), names.end(), device.name) == names.end()) {
        names.push_back(device.name);
      }
    }
  }
  return names;
}

host::Facts environment_of(const scenario::Scenario& scenario,
                           const std::vector<std::string>& devices,
                           const postgres::Installation& installation) {
  host::Facts facts = read_environment(devices, installation);
  add_workload_facts(scenario.workload, facts);
  return facts;
}

store::RunHeader make_header(const scenario::Scenario& scenario,
                             const workload::Inputs& inputs,
                             host::Facts environment,
                             const std::string& run_id) {
  store::RunHeader header{
      .run_id = run_id,
      .host = host::host_name(),
      .started_at = base::utc_timestamp(system_clock::now()),
      .kernel = host::kernel_release(),
      .boot_id = host::boot_id({}),
      .tool_version = base::tool_version(),
      .scenario_name = scenario.name,
      .scenario_text = scenario.text,
      .scenario_sha256 = base::sha256_of_text(scenario.text)};
  for (const storage::TargetSpec& target : scenario.targets) {
    header.targets.push_back(target.name);
  }
  header.input_sha256 = workload::hashes_of(inputs);
  header.environment = std::move(environment);
  return header;
}

/// What the newest run that imported the same files found in its tables. Row
/// text may differ between major versions, so those must agree.
std::vector<store::TableCheck> find_reference(const fs::path& results,
                                              const store::RunHeader& header,
                                              Progress& progress) {
  if (!fs::is_directory(results)) return {};
  const auto major = [](const store::RunHeader& run) {
    const auto version = run.environment.find("postgres.version");
    if (version == run.environment.end()) return std::string();
    return version->second.value.substr(0, version->second.value.find('.'));
  };
  store::History history = store::load(results);
  for (const std::string& warning : history.warnings) progress.warn(warning);
  std::vector<store::TableCheck> reference;
  for (store::Run& run : history.runs) {  // oldest first: the newest one stays
    if (run.header.scenario_sha256 != header.scenario_sha256 ||
        run.header.input_sha256 != header.input_sha256 ||
        major(run.header) != major(header)) {
      continue;
    }
    for (store::Sample& sample : run.samples) {
      if (sample.failure || sample.tables.empty()) continue;
      reference = std::move(sample.tables);
      break;
    }
  }
  return reference;
}

void warn(Progress& progress, const base::Warnings& warnings) {
  for (const base::Warning& warning : warnings) {
    progress.warn(warning.text());
  }
}

void warn_of_other_runs(const Paths& paths, const std::string& run_id,
                        Progress& progress) {
  for (const base::PendingJournal& journal : pending_restores(paths.state)) {
    if (journal.path.stem() == run_id) continue;
    progress.warn(
        journal.alive
            ? fmt::format("another run ({}) measures on this machine now: each "
                          "shows in the other's figures",
                          journal.path.stem().string())
            : fmt::format("the run {} was killed and left things behind: "
                          "sidegrade restore removes them",
                          journal.path.stem().string()));
  }
}

void append_kernel_warnings(host::KernelLog& log, store::RunWriter& writer) {
  for (const std::string& warning : log.take_new_warnings()) {
    writer.append(store::Note{.kind = "kernel_warning", .text = warning});
  }
}

/// The environment again, after the last trial: what changed under the run
/// makes it worthless as a result of one environment.
void finish(const host::Facts& before, host::Facts after,
            store::RunWriter& writer, RunOutcome& outcome) {
  outcome.changed = host::changed_facts(before, after);
  store::Note note{.kind = "run_finished",
                   .text = outcome.interrupted ? "interrupted" : "complete",
                   .facts = std::move(after)};
  if (!outcome.changed.empty()) {
    note.invalidates_run = true;
    note.text += "; changed meanwhile: ";
    note.text += base::join(outcome.changed, ", ");
  }
  writer.append(note);
}

}  // namespace

void run_trials(const TrialLoop& loop,
                const std::vector<scenario::Trial>& trials,
                RunOutcome& outcome) {
  for (const scenario::Trial& trial : trials) {
    loop.writer.append(
        store::Note{.kind = "trial_started",
                    .text = fmt::format("trial {}", trial.number)});
    const store::Sample sample = loop.rig.measure(trial);
    loop.writer.append(sample);
    append_kernel_warnings(loop.kernel_log, loop.writer);
    ++(sample.failure ? outcome.failed : outcome.measured);
    outcome.interrupted = loop.interrupt.requested();
    if (outcome.interrupted) return;
  }
}

RunOutcome execute_run(const scenario::Scenario& scenario, const Paths& paths,
                       Progress& progress, const base::Interrupt& interrupt) {
  const Survey found = survey(scenario, paths);
  if (!found.obstacles.empty()) {
    throw scenario::ScenarioError(found.obstacles);
  }
  warn(progress, found.warnings);
  const std::string run_id = new_run_id();
  base::UndoJournal journal = base::UndoJournal::create(paths.state, run_id);
  const base::UndoActions actions = undo_actions();
  base::UndoStack undo(journal, actions);
  std::vector<base::FileLock> locks = lock_targets(scenario, undo);

  const workload::Inputs inputs =
      workload::prepare_inputs(scenario.workload, found.schema,
                               found.installation, paths.cache, interrupt);
  warn(progress, check_needs(scenario.workload, inputs, found.installation));
  progress.run_started({static_cast<int>(found.trials.size()), inputs.bytes(),
                        found.expected_s});
  const std::vector<std::string> devices = devices_of(scenario);
  const store::RunHeader header = make_header(
      scenario, inputs, environment_of(scenario, devices, found.installation),
      run_id);
  warn_of_other_runs(paths, run_id, progress);
  std::vector<store::TableCheck> reference =
      find_reference(paths.results, header, progress);
  store::RunWriter writer(paths.results, header);

  storage::HostProvisioner provisioner(paths.runtime);
  PostgresRig rig({.scenario = scenario,
                   .inputs = inputs,
                   .installation = found.installation,
                   .owner = found.owner,
                   .run_id = run_id,
                   .paths = paths,
                   .provisioner = provisioner,
                   .journal = journal,
                   .undo_actions = actions,
                   .interrupt = interrupt,
                   .progress = progress,
                   .trials = static_cast<int>(found.trials.size()),
                   .reference = std::move(reference)});
  host::KernelLog kernel_log{host::Root{}};
  if (!kernel_log.absent_because().empty()) {
    writer.append(store::Note{.kind = "warning",
                              .text = "kernel warnings are not recorded: " +
                                      kernel_log.absent_because()});
  }
  RunOutcome outcome{.file = writer.path()};
  run_trials({rig, writer, kernel_log, interrupt}, found.trials, outcome);
  finish(header.environment,
         environment_of(scenario, devices, found.installation), writer,
         outcome);
  locks.clear();
  undo.unwind();
  return outcome;
}

}  // namespace sidegrade::bench
