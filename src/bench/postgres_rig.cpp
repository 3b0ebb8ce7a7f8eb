#include "bench/postgres_rig.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "bench/check_contents.h"
#include "bench/layout.h"
#include "bench/phase_meter.h"
#include "host/cgroup.h"
#include "host/state.h"
#include "postgres/cluster.h"
#include "postgres/database.h"
#include "workload/execution.h"

namespace sidegrade::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kQuietFor{200};
constexpr const char* kSettleAdvice =
    "Stop what else uses the disk, or allow more time with state.settle.";

double machine_uptime_s() {
  const auto text = base::try_read_file("/proc/uptime");
  return text ? std::strtod(text->c_str(), nullptr) : 0;
}

void make_private_directory(const fs::path& path, const base::User& owner) {
  if (mkdir(path.c_str(), 0700) != 0 ||
      (base::running_as_root() &&
       chown(path.c_str(), owner.uid, owner.gid) != 0)) {
    base::throw_errno(fmt::format("{} could not be made", path.string()));
  }
}

/// One trial from its provisioning to its teardown.
class TrialRun {
 public:
  TrialRun(PostgresRig::Parts& parts, const scenario::Trial& trial)
      : parts_(parts),
        trial_(trial),
        target_spec_(parts.scenario.targets[trial.target]),
        id_(fmt::format("{}-t{}", parts.run_id, trial.number)),
        undo_(parts.journal, parts.undo_actions) {}

  store::Sample measure();

 private:
  template <typename Work>
  void step(const std::string& name, Work work);
  void warn(const std::string& text);
  void fail(const std::string& sentence, const std::string& hint,
            const std::string& server = "");

  void execute_steps();
  void provision();
  void prepare_cluster();
  void join_cgroup();
  void start_server();
  void settle();
  void execute_phases();
  void verify();
  void tear_down();

  PostgresRig::Parts& parts_;
  const scenario::Trial& trial_;
  const storage::TargetSpec& target_spec_;
  std::string id_;
  base::UndoStack undo_;
  store::Sample sample_;
  std::string step_;
  storage::ProvisionedTarget target_;
  postgres::ClusterSpec cluster_spec_;
  std::optional<postgres::Cluster> cluster_;
};

/// Runs a step around the phases: announced, and its time kept as overhead.
template <typename Work>
void TrialRun::step(const std::string& name, Work work) {
  parts_.interrupt.check();
  step_ = name;
  parts_.progress.step_started(name);
  const double begin = base::monotonic_seconds();
  work();
  const double seconds = base::monotonic_seconds() - begin;
  sample_.overhead_s[name] = seconds;
  parts_.progress.step_finished(name, seconds);
}

void TrialRun::warn(const std::string& text) {
  sample_.warnings.push_back(text);
  parts_.progress.warn(text);
}

void TrialRun::fail(const std::string& sentence, const std::string& hint,
                    const std::string& server) {
  std::string told = hint;
  if (!server.empty()) {
    told += (told.empty() ? "" : "\n") + ("the server's log: " + server);
  }
  sample_.failure = store::Failure{step_, sentence, told};
}

store::Sample TrialRun::measure() {
  sample_.trial = trial_.number;
  sample_.round = trial_.round;
  sample_.warmup = trial_.warmup;
  sample_.target = target_spec_.name;
  sample_.started_at = base::utc_timestamp(std::chrono::system_clock::now());
  sample_.uptime_s = machine_uptime_s();
  parts_.progress.trial_started(
      {trial_.number, parts_.trials, trial_.round, target_spec_.name});
  try {
    execute_steps();
  } catch (const postgres::ServerLost& error) {
    fail(error.what(), error.hint(),
         cluster_ ? cluster_->wait_for_last_words() : "");
  } catch (const base::Error& error) {
    fail(error.what(), error.hint(), cluster_ ? cluster_->last_words() : "");
  } catch (const std::exception& error) {
    fail(error.what(), "");
  }
  tear_down();
  parts_.progress.trial_finished(sample_);
  return std::move(sample_);
}

void TrialRun::execute_steps() {
  step("provision", [&] { provision(); });
  step("initdb", [&] {
    prepare_cluster();
    postgres::initialise(cluster_spec_, parts_.interrupt);
  });
  step("start", [&] { start_server(); });
  step("settle", [&] { settle(); });
  execute_phases();
  step("stop", [&] { cluster_->stop(); });
}

void TrialRun::provision() {
  target_ =
      parts_.provisioner.provision(target_spec_, id_, parts_.owner, undo_);
  sample_.target_facts = target_.facts;
}

void TrialRun::prepare_cluster() {
  const fs::path private_directory = private_directory_of(parts_.paths, id_);
  cluster_spec_ = {
      .installation = parts_.installation,
      .owner = parts_.owner,
      .data_directory = data_directory_of(target_.folder),
      .private_directory = private_directory,
      .settings = parts_.scenario.postgres.settings,
      .initdb_arguments = parts_.scenario.postgres.initdb_arguments};
  undo_.promise({"directory", {private_directory.string()}});
  make_private_directory(private_directory, parts_.owner);
  undo_.promise({"processes", {target_.folder.string()}});
  join_cgroup();
}

void TrialRun::join_cgroup() {
  const host::CgroupPlace place = host::find_cgroup_place({});
  host::Fact& source = sample_.target_facts["server.cpu_time_source"];
  if (place.parent.empty()) {
    source.value =
        fmt::format("/proc, in steps of 10 ms ({})", place.absent_because);
    return;
  }
  source.value = "control group";
  const fs::path group = place.parent / ("sidegrade-" + id_);
  undo_.promise({"cgroup", {group.string()}});
  fs::create_directory(group);
  cluster_spec_.cgroup = group;
}

void TrialRun::start_server() {
  cluster_ = postgres::Cluster::start(cluster_spec_, parts_.interrupt);
  postgres::Database database(cluster_->endpoint(), "postgres");
  sample_.postgres_settings = database.changed_settings();
  if (!parts_.scenario.workload.create_roles) return;
  for (const script::Need& need : parts_.inputs.needs) {
    if (need.kind != script::NeedKind::kRole) continue;
    database.execute("CREATE ROLE " + postgres::quote_identifier(need.name) +
                     " LOGIN");
  }
}

/// Brings machine and target into the state in which each trial begins. The
/// inputs are read after the caches are dropped: every trial finds them cached.
void TrialRun::settle() {
  const scenario::StateSpec& state = parts_.scenario.state;
  host::sync_file_system(target_.folder);
  if (state.drop_caches) {
    try {
      host::drop_caches({});
    } catch (const base::Error& error) {
      warn(error.what());
    }
  }
  workload::check_unchanged(parts_.inputs);
  if (state.settle.count() > 0 &&
      !host::wait_until_quiet({}, target_.devices, kQuietFor, state.settle,
                              parts_.interrupt)) {
    warn(fmt::format(
        "the target's devices did not become quiet within {} ms. {}",
        state.settle.count(), kSettleAdvice));
  }
}

void TrialRun::execute_phases() {
  using workload::PhaseKind;
  parts_.progress.bytes_sent = 0;
  workload::Execution execution({.spec = parts_.scenario.workload,
                                 .inputs = parts_.inputs,
                                 .cluster_spec = cluster_spec_,
                                 .endpoint = cluster_->endpoint(),
                                 .mount = target_.folder,
                                 .interrupt = parts_.interrupt,
                                 .bytes_sent = parts_.progress.bytes_sent});
  PhaseMeter meter({target_.devices, cluster_spec_.cgroup, cluster_->pid(),
                    cluster_->endpoint()});
  bool verified = false;
  for (const PhaseKind phase : execution.phases()) {
    if (phase == PhaseKind::kDropDatabase) {
      step("verify", [&] { verify(); });
      verified = true;
    }
    const std::string name = workload::to_string(phase);
    parts_.interrupt.check();
    step_ = name;
    parts_.progress.step_started(name);
    sample_.phases.push_back(
        meter.measure(name, [&] { return execution.execute(phase); }));
    for (const std::string& message : meter.messages()) {
      sample_.warnings.push_back(fmt::format("{}: {}", name, message));
    }
    parts_.progress.step_finished(name,
                                  sample_.phases.back().metrics.at("real_s"));
  }
  if (!verified) step("verify", [&] { verify(); });
}

void TrialRun::verify() {
  for (postgres::TableContents& table : postgres::read_contents(
           cluster_->endpoint(), parts_.scenario.workload.volatile_tables)) {
    sample_.tables.push_back(
        {std::move(table.name), table.rows, std::move(table.checksum)});
  }
  check_contents(sample_.tables, parts_.inputs.expected_rows, parts_.reference);
  if (parts_.reference.empty()) parts_.reference = sample_.tables;
}

/// Ends and removes all that is left, whatever happened before. What can't be
/// removed stays in the journal for `sidegrade restore`.
void TrialRun::tear_down() {
  const double begin = base::monotonic_seconds();
  parts_.progress.step_started("tear_down");
  try {
    undo_.unwind();  // ends the server too, if stop() did not
    cluster_.reset();
  } catch (const base::Error& error) {
    const std::string text = fmt::format(
        "{} sidegrade restore tries to remove what is left.", error.what());
    warn(text);
    if (!sample_.failure) sample_.failure = {"tear_down", text, error.hint()};
  }
  const double seconds = base::monotonic_seconds() - begin;
  sample_.overhead_s["tear_down"] = seconds;
  parts_.progress.step_finished("tear_down", seconds);
}

}  // namespace

PostgresRig::PostgresRig(Parts parts) : parts_(std::move(parts)) {}

store::Sample PostgresRig::measure(const scenario::Trial& trial) {
  return TrialRun(parts_, trial).measure();
}

}  // namespace sidegrade::bench
