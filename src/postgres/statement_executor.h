#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "postgres/connection.h"
#include "postgres/script_work.h"
#include "postgres/statement_batch.h"
#include "script/copy_source.h"
#include "script/reader.h"

namespace sidegrade::postgres {

/// What a statement ended with, told by file and line.
struct StatementError {
  std::string sentence;  ///< "dump.sql:12: relation … (SQLSTATE 42P01)"
  std::string hint;      ///< the statement's beginning, the server's context
  std::string sqlstate;
  std::string message;  ///< the server's alone
};

/// Executes statements over one connection and adds up what they did.
class StatementExecutor {
 public:
  /// All must outlive it. `bytes_sent` grows with COPY data, for progress.
  StatementExecutor(Connection& connection, ScriptWork& work,
                    std::atomic<uint64_t>& bytes_sent)
      : connection_(connection), work_(work), bytes_sent_(bytes_sent) {}

  using OnRows = std::function<void(const pg_result&)>;
  /// Gives the rows of the next COPY FROM STDIN of the statement.
  using NextSource = std::function<script::CopySource()>;

  /// Executes `statement` of `file`; the answers are all read when it returns,
  /// with the errors among them. `on_rows` gets each result that has rows.
  std::vector<StatementError> execute(const script::Statement& statement,
                                      const script::File& file,
                                      const NextSource& next_source,
                                      const OnRows& on_rows = {});

  /// Executes all of `batch` in one message. What follows an error is executed
  /// one by one, as it would have been.
  std::vector<StatementError> execute(StatementBatch& batch,
                                      const script::File& file);

  uint64_t rows_of_last() const { return rows_of_last_; }

 private:
  std::vector<StatementError> execute_alone(StatementBatch& batch, size_t begin,
                                            const script::File& file);
  void send_rows(script::CopySource& source);

  Connection& connection_;
  ScriptWork& work_;
  std::atomic<uint64_t>& bytes_sent_;
  uint64_t rows_of_last_ = 0;
};

/// The error that `result` is, of a statement that begins at `statement.line`
/// of `file`. `source`: of the rows that it was sent, or null. The server
/// counts characters from `characters_before` the statement.
StatementError describe_error(const pg_result* result,
                              const script::Statement& statement,
                              const script::File& file,
                              const script::CopySource* source,
                              int64_t characters_before = 0);

/// The statement's first line, cut to what fits a message.
std::string shown(const script::Statement& statement);

}  // namespace sidegrade::postgres
