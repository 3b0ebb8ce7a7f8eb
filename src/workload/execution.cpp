#include "workload/execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "host/state.h"
#include "postgres/psql.h"

namespace sidegrade::workload {
namespace {

double number(uint64_t count) { return static_cast<double>(count); }

/// What scripts did, as a phase's work. With several connections each one's
/// time is told, and their threads' use of the processor is added to `thread`.
PhaseWork to_phase_work(postgres::ScriptWork work,
                        const base::ResourceUsage& thread) {
  PhaseWork done{.metrics = {{"statements", number(work.statements)},
                             {"rows", number(work.rows)},
                             {"copy_bytes", number(work.copy_bytes)},
                             {"script_bytes", number(work.script_bytes)},
                             {"notices", number(work.messages.notices)},
                             {"warnings", number(work.messages.warnings)},
                             {"errors", number(work.errors)}},
                 .messages = std::move(work.messages.first)};
  if (work.jobs.empty()) return done;
  done.client = thread;
  for (size_t i = 0; i < work.jobs.size(); ++i) {
    done.metrics[fmt::format("job_{}_busy_s", i + 1)] = work.jobs[i].busy_s;
    done.client = *done.client + work.jobs[i].usage;
  }
  return done;
}

/// Where a foreign key, trigger or rule stands before the last rows of all
/// files; empty: nowhere.
std::string find_rows_tie(const std::vector<InputFile>& files) {
  std::string tie;
  std::string first;
  for (const InputFile& file : files) {
    if (file.outline.data_begin) {
      tie = first.empty() ? file.outline.rows_tied_at : first;
    }
    if (first.empty()) first = file.outline.first_tie;
  }
  return tie;
}

/// psql takes the end of a file that shrinks for the end of its rows.
void refuse_shrunk(const InputFile& file) {
  const uint64_t bytes = std::filesystem::file_size(file.path);
  if (bytes >= file.bytes) return;
  throw base::Error(
      fmt::format("{}: the file shrank from {} to {} bytes while psql read it",
                  file.path.string(), file.bytes, bytes),
      "Leave the inputs alone while a run goes on; begin the run again.");
}

std::map<std::string, uint64_t> sum_table_bytes(
    const std::vector<InputFile>& files) {
  std::map<std::string, uint64_t> sum;
  for (const InputFile& file : files) {
    for (const auto& [table, bytes] : file.outline.table_bytes) {
      sum[table] += bytes;
    }
  }
  return sum;
}

}  // namespace

Execution::Execution(const Context& context)
    : context_(context),
      server_(context.endpoint, "postgres", context.spec.timeout),
      stretches_(plan_stretches(context.inputs.files, context.spec)),
      rows_tied_at_(find_rows_tie(context.inputs.files)),
      table_bytes_(sum_table_bytes(context.inputs.files)) {}

Execution::~Execution() = default;

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
  const auto deadline = context_.spec.timeout
                            ? base::Deadline::after(*context_.spec.timeout)
                            : base::Deadline::none();
  switch (phase) {
    case PhaseKind::kCreateDatabase:
      server_.execute(fmt::format("CREATE DATABASE {}", kDatabase));
      return {};
    case PhaseKind::kSchema:
    case PhaseKind::kImport:
    case PhaseKind::kIndex:
      return execute_stretches(phase, deadline);
    case PhaseKind::kAnalyze:
      session_.reset();
      postgres::Database(context_.endpoint, kDatabase, context_.spec.timeout)
          .execute("ANALYZE");
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

PhaseWork Execution::execute_stretches(PhaseKind phase,
                                       base::Deadline deadline) {
  PhaseWork sum;
  for (const Stretch& stretch : stretches_) {
    if (stretch.phase != phase) continue;
    sum.add(context_.spec.client == Client::kPsql
                ? execute_with_psql(stretch, deadline)
                : execute_natively(stretch, deadline));
  }
  if (phase == PhaseKind::kImport && context_.spec.jobs > 1 &&
      !rows_tied_at_.empty()) {
    sum.messages.push_back(
        fmt::format("rows were loaded one table after another in spite of "
                    "jobs, since a foreign key, trigger, rule or temporary "
                    "table ties them together: {}",
                    rows_tied_at_));
  }
  return sum;
}

/// Each script has a session of its own, as each call of psql has; in a single
/// transaction they share one.
void Execution::begin_script(size_t file) {
  const WorkloadSpec& spec = context_.spec;
  const bool shared = session_ && spec.single_transaction;
  if (!shared) {
    session_ = std::make_unique<postgres::ScriptSession>(
        postgres::ScriptSession::Options{.endpoint = context_.endpoint,
                                         .database = kDatabase,
                                         .on_error = spec.on_error,
                                         .pipeline = spec.pipeline,
                                         .jobs = spec.jobs,
                                         .split_tables = spec.split_tables,
                                         .table_bytes = table_bytes_},
        context_.interrupt, context_.bytes_sent);
    if (spec.single_transaction) session_->begin_transaction();
  }
  const InputFile& input = context_.inputs.files[file];
  session_->begin({{input.path, input.source.parent_path()},
                   &input.outline,
                   rows_tied_at_.empty()});
  session_file_ = file;
}

PhaseWork Execution::execute_natively(const Stretch& stretch,
                                      base::Deadline deadline) {
  const base::ResourceUsage before = base::thread_usage();
  if (session_file_ != stretch.file) begin_script(stretch.file);
  postgres::ScriptWork work = session_->run_until(stretch.until, deadline);
  if (context_.spec.single_transaction && stretch == stretches_.back()) {
    work.add(session_->commit(deadline));
  }
  return to_phase_work(std::move(work), base::thread_usage() - before);
}

PhaseWork Execution::execute_with_psql(const Stretch& stretch,
                                       base::Deadline deadline) {
  const InputFile& input = context_.inputs.files[stretch.file];
  PhaseWork work;
  work.client = postgres::run_psql(
      postgres::psql_command(
          context_.cluster_spec, context_.endpoint,
          {.database = kDatabase,
           .script = input.path,
           .on_error = context_.spec.on_error,
           .single_transaction = context_.spec.single_transaction}),
      context_.interrupt, deadline);
  refuse_shrunk(input);
  work.absent["rows"] = "psql does not say how many rows it sent";
  return work;
}

void PhaseWork::add(PhaseWork other) {
  for (const auto& [name, value] : other.metrics) metrics[name] += value;
  absent.merge(other.absent);
  if (other.client) {
    client = client.value_or(base::ResourceUsage{}) + *other.client;
  }
  messages.insert(messages.end(), other.messages.begin(), other.messages.end());
}

}  // namespace sidegrade::workload
