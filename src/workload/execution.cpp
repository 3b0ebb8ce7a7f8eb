#include "workload/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/state.h"
#include "postgres/psql.h"

namespace sidegrade::workload {
namespace {

constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

bool contains(const std::vector<PhaseKind>& phases, PhaseKind phase) {
  return std::find(phases.begin(), phases.end(), phase) != phases.end();
}

PhaseWork to_phase_work(postgres::ScriptWork work) {
  const auto number = [](uint64_t count) { return static_cast<double>(count); };
  return {.metrics = {{"statements", number(work.statements)},
                      {"rows", number(work.rows)},
                      {"copy_bytes", number(work.copy_bytes)},
                      {"script_bytes", number(work.script_bytes)},
                      {"notices", number(work.notices)},
                      {"warnings", number(work.warnings)},
                      {"errors", number(work.errors)}},
          .messages = std::move(work.messages)};
}

}  // namespace

Execution::Execution(const Context& context)
    : context_(context),
      server_(context.endpoint, "postgres"),
      stretches_(plan_stretches()) {}

Execution::~Execution() = default;

/// Which part of which file belongs to which phase. A phase that the scenario
/// leaves out leaves its statements to `import`: they must run all the same.
std::vector<Execution::Stretch> Execution::plan_stretches() const {
  std::vector<Stretch> stretches;
  const std::vector<InputFile>& files = context_.inputs.files;
  for (size_t i = 0; i < files.size(); ++i) {
    const postgres::ScriptOutline& outline = files[i].outline;
    const bool alone = files.size() == 1;
    if (files[i].role == "schema") {
      stretches.push_back({i, kToTheEnd, PhaseKind::kSchema});
    } else if (context_.spec.client == Client::kPsql) {
      stretches.push_back({i, kToTheEnd, PhaseKind::kImport});
    } else {
      if (alone && outline.data_begin > 0) {
        stretches.push_back({i, outline.data_begin, PhaseKind::kSchema});
      }
      stretches.push_back({i, outline.data_end, PhaseKind::kImport});
      if (outline.has_indexes()) {
        stretches.push_back({i, kToTheEnd, PhaseKind::kIndex});
      }
    }
  }
  for (Stretch& stretch : stretches) {
    if (!contains(context_.spec.phases, stretch.phase)) {
      stretch.phase = PhaseKind::kImport;
    }
  }
  return stretches;
}

std::vector<PhaseKind> Execution::phases() const {
  std::vector<PhaseKind> phases;
  for (const PhaseKind phase : context_.spec.phases) {
    const bool from_script =
        phase == PhaseKind::kSchema || phase == PhaseKind::kIndex;
    const bool has_stretch = std::any_of(
        stretches_.begin(), stretches_.end(),
        [&](const Stretch& stretch) { return stretch.phase == phase; });
    if (!from_script || has_stretch) phases.push_back(phase);
  }
  return phases;
}

PhaseWork Execution::execute(PhaseKind phase) {
  switch (phase) {
    case PhaseKind::kCreateDatabase:
      server_.execute(fmt::format("CREATE DATABASE {}", kDatabase));
      return {};
    case PhaseKind::kSchema:
    case PhaseKind::kImport:
    case PhaseKind::kIndex:
      return execute_stretches(phase);
    case PhaseKind::kAnalyze:
      session_.reset();
      postgres::Database(context_.endpoint, kDatabase).execute("ANALYZE");
      return {};
    case PhaseKind::kCheckpoint:
      server_.execute("CHECKPOINT");
      host::sync_file_system(context_.mount);
      return {};
    case PhaseKind::kDropDatabase:
      session_.reset();
      server_.execute(fmt::format("DROP DATABASE {}", kDatabase));
      return {};
  }
  return {};
}

PhaseWork Execution::execute_stretches(PhaseKind phase) {
  PhaseWork sum;
  for (const Stretch& stretch : stretches_) {
    if (stretch.phase != phase) continue;
    add(sum, context_.spec.client == Client::kPsql ? execute_with_psql(stretch)
                                                   : execute_natively(stretch));
  }
  return sum;
}

PhaseWork Execution::execute_natively(const Stretch& stretch) {
  if (!session_ || session_file_ != stretch.file) {
    session_ = std::make_unique<postgres::ScriptSession>(
        postgres::ScriptSession::Options{
            .script = context_.inputs.files[stretch.file].path,
            .endpoint = context_.endpoint,
            .database = kDatabase,
            .on_error = context_.spec.on_error},
        context_.interrupt, context_.bytes_sent);
    session_file_ = stretch.file;
  }
  return to_phase_work(session_->run_until(stretch.until));
}

PhaseWork Execution::execute_with_psql(const Stretch& stretch) {
  PhaseWork work;
  work.client = postgres::run_psql(
      postgres::psql_command(
          context_.cluster_spec, context_.endpoint, kDatabase,
          context_.inputs.files[stretch.file].path, context_.spec.on_error),
      context_.interrupt);
  work.absent["rows"] = "psql does not say how many rows it sent";
  return work;
}

void Execution::add(PhaseWork& sum, PhaseWork work) const {
  for (const auto& [name, value] : work.metrics) sum.metrics[name] += value;
  sum.absent.merge(work.absent);
  if (work.client) {
    base::ResourceUsage& client =
        sum.client.emplace(sum.client.value_or(base::ResourceUsage{}));
    client = client + *work.client;
  }
  sum.messages.insert(sum.messages.end(), work.messages.begin(),
                      work.messages.end());
}

}  // namespace sidegrade::workload
