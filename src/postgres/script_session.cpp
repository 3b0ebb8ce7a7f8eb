#include "postgres/script_session.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/text.h"
#include "script/statement_kind.h"

namespace sidegrade::postgres {
namespace {

/// A part of a table's rows that is worth a connection of its own.
constexpr uint64_t kLeastPartBytes = uint64_t{1} << 20;

/// How much longer an index takes by a slow method: a rough figure, which only
/// decides what begins first.
constexpr uint64_t kSlowMethod = 4;

constexpr const char* kDroppedHint =
    "Let the dump fill the database that sidegrade makes: leave pg_dump's "
    "--create and --clean out.";

/// The database of a connection string; its user, if any, goes to `user`.
std::string database_of_connection_string(const std::string& text,
                                          std::string& user) {
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(text.c_str(), nullptr), PQconninfoFree);
  std::string database;
  for (const PQconninfoOption* option = options.get();
       option != nullptr && option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    if (std::strcmp(option->keyword, "dbname") == 0) database = option->val;
    if (std::strcmp(option->keyword, "user") == 0) user = option->val;
  }
  return database;
}

std::string text_of(const char* text) { return text != nullptr ? text : ""; }

}  // namespace

ScriptSession::ScriptSession(Options options, const base::Interrupt& interrupt,
                             std::atomic<uint64_t>& bytes_sent)
    : options_(std::move(options)),
      interrupt_(interrupt),
      bytes_sent_(bytes_sent) {
  connect(options_.endpoint, options_.database);
}

ScriptSession::~ScriptSession() = default;

void ScriptSession::connect(const Endpoint& endpoint,
                            const std::string& database) {
  connection_ = std::make_unique<Connection>(endpoint, database, interrupt_,
                                             work_.messages);
  connection_->set_deadline(deadline_);
  executor_ =
      std::make_unique<StatementExecutor>(*connection_, work_, bytes_sent_);
  if (options_.jobs == 1) return;
  pool_ = std::make_unique<JobPool>(
      JobPool::Options{endpoint, database, options_.jobs, options_.on_error},
      interrupt_, bytes_sent_);
}

void ScriptSession::begin(const Script& script) {
  script_ = std::make_unique<script::Interpreter>(
      script.source, script::Reading::kExecuting,
      [this](const std::string& name) { return session_value(name); });
  script_->variables().set("ON_ERROR_STOP",
                           options_.on_error == OnError::kStop ? "on" : "off");
  outline_ = script.outline;
  rows_are_independent_ = script.rows_are_independent;
  told_ = rows_passed_ = 0;
}

std::optional<std::string> ScriptSession::session_value(
    const std::string& name) const {
  PGconn* connection = connection_->get();
  if (name == "DBNAME") return text_of(PQdb(connection));
  if (name == "USER") return text_of(PQuser(connection));
  if (name == "HOST") return text_of(PQhost(connection));
  if (name == "PORT") return text_of(PQport(connection));
  if (name == "ENCODING") {
    return text_of(pg_encoding_to_char(PQclientEncoding(connection)));
  }
  if (name == "SERVER_VERSION_NAME") {
    return text_of(PQparameterStatus(connection, "server_version"));
  }
  if (name == "SERVER_VERSION_NUM") {
    return std::to_string(PQserverVersion(connection));
  }
  if (name == "VERSION_NUM") return std::to_string(PQlibVersion());
  if (name == "VERSION_NAME") {
    return fmt::format("{}.{}", PQlibVersion() / 10000, PQlibVersion() % 10000);
  }
  if (name == "ERROR") return failed_ ? "true" : "false";
  if (name == "SQLSTATE") return failed_ ? last_error_.sqlstate : "00000";
  if (name == "ROW_COUNT") return std::to_string(executor_->rows_of_last());
  if (name == "LAST_ERROR_MESSAGE") return last_error_.message;
  if (name == "LAST_ERROR_SQLSTATE") return last_error_.sqlstate;
  return std::nullopt;
}

script::LexerSettings ScriptSession::lexer_settings() const {
  const char* standard =
      PQparameterStatus(connection_->get(), "standard_conforming_strings");
  return {PQclientEncoding(connection_->get()),
          standard != nullptr && std::strcmp(standard, "on") == 0};
}

ScriptWork ScriptSession::run_until(int64_t step_end, base::Deadline deadline) {
  start_part(deadline);
  const uint64_t begin = script_->bytes();
  script::Step step;
  try {
    while (script_->steps() < step_end &&
           script_->next(lexer_settings(), step)) {
      std::visit([this](const auto& one) { execute(one); }, step);
      tell_progress();
    }
    finish();
  } catch (const TimeLimitPassed& error) {
    throw base::Error(
        fmt::format("{}: {}", script_->place(script_->file().line_number()),
                    error.what()),
        error.hint());
  }
  work_.script_bytes = script_->bytes() - begin;
  if (!dropped_at_.empty()) {
    throw base::Error(
        fmt::format("{}: the script drops the database that it is measured in",
                    dropped_at_),
        kDroppedHint);
  }
  return std::move(work_);
}

void ScriptSession::start_part(base::Deadline deadline) {
  work_ = {};
  deadline_ = deadline;
  connection_->set_deadline(deadline);
  if (pool_) pool_->set_deadline(deadline);
}

/// What was read of the script counts as sent; its rows were counted when they
/// were.
void ScriptSession::tell_progress() {
  const uint64_t read = script_->bytes() - rows_passed_;
  if (read > told_) bytes_sent_.fetch_add(read - told_);
  told_ = read;
}

/// The script's own \set counts.
bool ScriptSession::stops_on_error() {
  const auto stop = script_->variables().find("ON_ERROR_STOP");
  return stop && script::truth_of(*stop).value_or(true);
}

void ScriptSession::fail(const StatementError& error) {
  if (connection_->broken()) throw ServerLost(error.sentence, error.hint);
  if (stops_on_error()) throw base::Error(error.sentence, error.hint);
  ++work_.errors;
  if (first_error_.empty()) first_error_ = error.sentence;
  work_.messages.keep(error.sentence);
}

void ScriptSession::fail_all(const std::vector<StatementError>& errors) {
  failed_ = !errors.empty();
  if (failed_) last_error_ = errors.back();
  for (const StatementError& error : errors) fail(error);
}

void ScriptSession::execute(const script::ExecuteStep& step) {
  const bool plain = step.use == script::ExecuteStep::Use::kNone &&
                     (outline_ == nullptr || !outline_->waits_for_answers);
  if (plain && options_.pipeline && connection_->in_transaction_block() &&
      StatementBatch::takes(step.statement.text)) {
    batch_.add(step.statement);
    if (batch_.full()) finish_batch();
    return;
  }
  finish_batch();
  if (plain && pool_ && execute_side_by_side(step.statement)) return;
  finish_jobs();
  switch (step.use) {
    case script::ExecuteStep::Use::kNone:
      execute_alone(step.statement);
      break;
    case script::ExecuteStep::Use::kExecuteCells:
      execute_cells(step.statement);
      break;
    case script::ExecuteStep::Use::kStoreVariables:
      store_variables(step);
  }
}

void ScriptSession::execute_alone(const script::Statement& statement,
                                  const StatementExecutor::OnRows& on_rows) {
  const uint64_t sent_before = work_.copy_bytes;
  const std::vector<StatementError> errors = executor_->execute(
      statement, script_->file(), [this] { return rows_behind_statement(); },
      on_rows);
  rows_passed_ += work_.copy_bytes - sent_before;
  fail_all(errors);
  if (!failed_) note_database(statement);
}

/// Remembers that the measured database is gone, until it is made again.
void ScriptSession::note_database(const script::Statement& statement) {
  if (script::dropped_database(statement.text) == options_.database) {
    dropped_at_ = script_->place(statement.line);
  } else if (!dropped_at_.empty() &&
             script::created_database(statement.text) == options_.database) {
    dropped_at_.clear();
  }
}

void ScriptSession::execute_cells(const script::Statement& statement) {
  std::vector<std::string> cells;
  const int64_t line = statement.line;
  execute_alone(statement, [&](const PGresult& result) {
    for (int row = 0; row < PQntuples(&result); ++row) {
      for (int column = 0; column < PQnfields(&result); ++column) {
        if (PQgetisnull(&result, row, column) != 0) continue;
        cells.emplace_back(PQgetvalue(&result, row, column));
      }
    }
  });
  for (const std::string& cell : cells) execute_alone({cell.c_str(), line});
}

void ScriptSession::store_variables(const script::ExecuteStep& step) {
  int rows = 0;
  execute_alone(step.statement, [&](const PGresult& result) {
    rows = PQntuples(&result);
    for (int column = 0; rows == 1 && column < PQnfields(&result); ++column) {
      const std::string name = step.prefix + PQfname(&result, column);
      if (PQgetisnull(&result, 0, column) != 0) {
        script_->variables().unset(name);
      } else {
        script_->variables().set(name, PQgetvalue(&result, 0, column));
      }
    }
  });
  if (failed_ || rows == 1) return;
  fail({fmt::format("{}: \\gset: the query returned {} rows, and 1 is needed",
                    script_->place(step.statement.line), rows),
        "in " + shown(step.statement)});
}

const script::CopyBlock* ScriptSession::known_block() {
  if (outline_ == nullptr) return nullptr;
  const script::File& file = script_->file();
  const auto blocks = outline_->copy_blocks.find(file.path());
  if (blocks == outline_->copy_blocks.end()) return nullptr;
  const auto block = blocks->second.find(file.offset());
  return block != blocks->second.end() ? &block->second : nullptr;
}

script::CopySource ScriptSession::rows_behind_statement() {
  const script::CopyBlock* block = known_block();
  return {script_->file(), script::CopySource::End::kMarker,
          block != nullptr ? std::optional(block->rows) : std::nullopt};
}

void ScriptSession::execute(const script::CopyStep& step) {
  finish();
  const script::Statement statement{step.statement.c_str(), step.line};
  if (step.file.empty()) {
    execute_alone(statement);
    return;
  }
  script::File rows(step.file);
  fail_all(executor_->execute(statement, script_->file(), [&rows] {
    return script::CopySource(rows, script::CopySource::End::kMarkerOrEnd);
  }));
}

void ScriptSession::execute(const script::EncodingStep& step) {
  finish();
  if (connection_->set_encoding(step.encoding)) return;
  fail({fmt::format(R"({}: \encoding: "{}" is no encoding)",
                    script_->place(step.line), step.encoding)});
}

void ScriptSession::execute(const script::RefusedStep& step) {
  finish();
  fail({step.sentence});
}

/// `\connect [-reuse-previous=…] DATABASE [USER …]`, or a connection string, of
/// which the database and the user count: there is one server here.
void ScriptSession::execute(const script::ConnectStep& step) {
  finish();
  std::vector<std::string> words = step.arguments;
  if (!words.empty() && words[0].starts_with("-reuse-previous")) {
    words.erase(words.begin());
  }
  for (std::string& word : words) {  // `\connect shop;` is common, and fine
    word.erase(word.find_last_not_of(';') + 1);
  }
  Endpoint endpoint = options_.endpoint;
  std::string database =
      words.empty() || words[0] == "-" ? PQdb(connection_->get()) : words[0];
  if (words.size() > 1 && words[1] != "-") endpoint.user = words[1];
  if (database.find('=') != std::string::npos) {
    database = database_of_connection_string(database, endpoint.user);
  }
  try {
    connect(endpoint, database);
  } catch (const base::Error& error) {
    // psql's script would go on without a connection: no use here.
    throw base::Error(
        fmt::format("{}: {}", script_->place(step.line), error.what()));
  }
}

/// Whether the statement is left to several connections (or executed, as one
/// that they all need).
bool ScriptSession::execute_side_by_side(const script::Statement& statement) {
  const script::ParallelStatement parallel =
      script::parallel_statement(statement.text, lexer_settings());
  switch (parallel.kind) {
    case script::ParallelStatement::Kind::kNone:
      return false;
    case script::ParallelStatement::Kind::kSetting:
      execute_alone(statement);
      if (!failed_) share_setting(statement);
      return true;
    case script::ParallelStatement::Kind::kComment:
      if (!submitted_) return false;
      comments_.push_back({statement.text, statement.line});
      return true;
    case script::ParallelStatement::Kind::kRows:
      if (!rows_are_independent_ || known_block() == nullptr ||
          statement.copies_from_stdin != 1) {
        return false;
      }
      break;
    case script::ParallelStatement::Kind::kBuild:
    case script::ParallelStatement::Kind::kForeignKey:
      break;
  }
  if (!connection_->idle()) return false;
  submit(statement, parallel);
  return true;
}

/// One made in a transaction block may be taken back with it: then what follows
/// stays with this connection.
void ScriptSession::share_setting(const script::Statement& statement) {
  if (connection_->idle()) {
    pool_->add_setting(statement.text);
  } else {
    finish_jobs();
    pool_.reset();
  }
}

/// Of a build: what its tables hold, and more where the method is slow.
uint64_t ScriptSession::weight_of(
    const script::ParallelStatement& parallel) const {
  uint64_t weight = 0;
  for (const std::string& table : parallel.tables) {
    const auto bytes = options_.table_bytes.find(table);
    if (bytes != options_.table_bytes.end()) weight += bytes->second;
  }
  return parallel.slow ? weight * kSlowMethod : weight;
}

void ScriptSession::submit(const script::Statement& statement,
                           const script::ParallelStatement& parallel) {
  if (submitted_ && *submitted_ != parallel.kind) finish_jobs();
  submitted_ = parallel.kind;
  pool_->set_on_error(stops_on_error() ? OnError::kStop : OnError::kContinue);
  JobPool::Task task{.statement = statement.text,
                     .file = script_->file().path(),
                     .line = statement.line,
                     .rows = std::nullopt,
                     .tables = parallel.tables,
                     .exclusive = parallel.exclusive,
                     .weight = weight_of(parallel)};
  if (parallel.kind != script::ParallelStatement::Kind::kRows) {
    pool_->submit(std::move(task));
    return;
  }
  const script::CopyBlock& block = *known_block();
  const int parts = options_.split_tables && parallel.line_is_row
                        ? static_cast<int>(std::min<uint64_t>(
                              static_cast<uint64_t>(options_.jobs),
                              block.rows.bytes() / kLeastPartBytes + 1))
                        : 1;
  for (const script::CopyRange& rows : split(block, parts)) {
    task.rows = rows;
    task.weight = rows.bytes();
    pool_->submit(task);
  }
  rows_passed_ += block.rows.bytes();
  rows_behind_statement().skip();
}

void ScriptSession::finish_batch() {
  if (batch_.empty()) return;
  const std::vector<StatementError> errors =
      executor_->execute(batch_, script_->file());
  batch_.clear();
  fail_all(errors);
}

void ScriptSession::finish_jobs() {
  if (!submitted_) return;
  submitted_.reset();
  const std::vector<StatementError> errors = pool_->wait();
  work_.add(pool_->take_work());
  fail_all(errors);
  for (const KeptComment& comment : std::exchange(comments_, {})) {
    execute_alone({comment.text.c_str(), comment.line});
  }
}

void ScriptSession::finish() {
  finish_batch();
  finish_jobs();
}

void ScriptSession::begin_transaction() {
  first_error_.clear();
  command("BEGIN");
}

ScriptWork ScriptSession::commit(base::Deadline deadline) {
  start_part(deadline);
  if (command("COMMIT") == "ROLLBACK") {
    throw base::Error(
        "the single transaction was rolled back, since a statement in it had "
        "failed: " +
            first_error_,
        "Mend the scripts, or leave single_transaction out.");
  }
  return std::move(work_);
}

/// Executes a statement that is not the script's; returns the server's tag.
std::string ScriptSession::command(const char* text) {
  std::string tag;
  std::string failure;
  if (!connection_->send(text)) failure = connection_->error_text();
  while (const Result result = connection_->next_result()) {
    tag = PQcmdStatus(result.get());
    if (PQresultStatus(result.get()) != PGRES_FATAL_ERROR) continue;
    failure = fmt::format("{} (SQLSTATE {})",
                          error_field(result.get(), PG_DIAG_MESSAGE_PRIMARY),
                          error_field(result.get(), PG_DIAG_SQLSTATE));
  }
  if (failure.empty()) return tag;
  const std::string sentence =
      fmt::format("{} of the single transaction: {}", text, failure);
  if (connection_->broken()) throw ServerLost(sentence);
  throw base::Error(sentence);
}

}  // namespace sidegrade::postgres
