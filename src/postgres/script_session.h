#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/interrupt.h"
#include "postgres/cluster.h"
#include "postgres/connection.h"
#include "postgres/job_pool.h"
#include "postgres/on_error.h"
#include "postgres/script_work.h"
#include "postgres/statement_batch.h"
#include "postgres/statement_executor.h"
#include "script/interpreter.h"
#include "script/outline.h"
#include "script/parallel_statement.h"

namespace sidegrade::postgres {

/// Executes SQL scripts as `psql -f` would, in parts if wanted. COPY data go to
/// the server as the file's bytes.
class ScriptSession {
 public:
  struct Options {
    Endpoint endpoint;
    std::string database;
    OnError on_error = OnError::kStop;
    /// Inside a transaction block, INSERTs go out many in a message.
    bool pipeline = true;
    int jobs = 1;               ///< connections
    bool split_tables = false;  ///< one table's rows over all of them
    /// How much each table holds, where known: the longest builds go first.
    std::map<std::string, uint64_t> table_bytes = {};
  };

  /// Connects. `bytes_sent` grows with the bytes of scripts, for progress.
  ScriptSession(Options options, const base::Interrupt& interrupt,
                std::atomic<uint64_t>& bytes_sent);
  ~ScriptSession();

  struct Script {
    script::Source source;
    /// If it is known (it must then outlive the session), COPY data are not
    /// looked at on their way, and jobs can share them.
    const script::Outline* outline = nullptr;
    /// No foreign key or trigger stands before rows, here or in a script
    /// before.
    bool rows_are_independent = false;
  };

  /// Goes on with this script, over the same connection.
  void begin(const Script& script);

  /// Executes the script's steps from where it stands until `step` (or the
  /// end). Throws Error with file, line, statement and SQLSTATE if one fails;
  /// TimeLimitPassed, or Interrupted, after cancelling what runs on the server.
  ScriptWork run_until(int64_t step, base::Deadline deadline = {});

  /// One transaction from here until commit(), over scripts and parts.
  void begin_transaction();
  /// Throws Error if the server rolled back instead, after errors.
  ScriptWork commit(base::Deadline deadline = {});

 private:
  std::optional<std::string> session_value(const std::string& name) const;
  script::LexerSettings lexer_settings() const;
  void connect(const Endpoint& endpoint, const std::string& database);

  void execute(const script::ExecuteStep& step);
  void execute(const script::CopyStep& step);
  void execute(const script::ConnectStep& step);
  void execute(const script::EncodingStep& step);
  void execute(const script::RefusedStep& step);

  void execute_alone(const script::Statement& statement,
                     const StatementExecutor::OnRows& on_rows = {});
  void execute_cells(const script::Statement& statement);
  void store_variables(const script::ExecuteStep& step);
  bool execute_side_by_side(const script::Statement& statement);
  void submit(const script::Statement& statement,
              const script::ParallelStatement& parallel);
  uint64_t weight_of(const script::ParallelStatement& parallel) const;
  void share_setting(const script::Statement& statement);
  void finish_batch();
  void finish_jobs();
  void finish();
  std::string command(const char* text);

  void start_part(base::Deadline deadline);
  void tell_progress();
  void note_database(const script::Statement& statement);
  script::CopySource rows_behind_statement();
  const script::CopyBlock* known_block();
  bool stops_on_error();
  void fail(const StatementError& error);
  void fail_all(const std::vector<StatementError>& errors);

  Options options_;
  const base::Interrupt& interrupt_;
  std::atomic<uint64_t>& bytes_sent_;
  base::Deadline deadline_;
  ScriptWork work_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<StatementExecutor> executor_;
  std::unique_ptr<script::Interpreter> script_;
  const script::Outline* outline_ = nullptr;
  bool rows_are_independent_ = false;
  StatementBatch batch_;
  std::unique_ptr<JobPool> pool_;
  /// What the pool works at, if it does: one kind at a time.
  std::optional<script::ParallelStatement::Kind> submitted_;
  struct KeptComment {
    std::string text;
    int64_t line = 0;
  };
  std::vector<KeptComment> comments_;
  StatementError last_error_;
  std::string first_error_;   ///< passed over since begin_transaction()
  bool failed_ = false;       ///< the last statement
  std::string dropped_at_;    ///< where the script dropped options_.database
  uint64_t rows_passed_ = 0;  ///< bytes of the script that others count
  uint64_t told_ = 0;
};

}  // namespace sidegrade::postgres
