#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "postgres/cluster.h"
#include "postgres/on_error.h"
#include "postgres/script_reader.h"

struct pg_result;  // libpq's PGresult

namespace sidegrade::postgres {

/// What executing a part of a script did.
struct ScriptWork {
  uint64_t statements = 0;
  uint64_t rows = 0;        ///< of COPY and INSERT, as the server counted them
  uint64_t copy_bytes = 0;  ///< COPY data sent
  uint64_t script_bytes = 0;
  uint64_t notices = 0;               ///< NOTICE, INFO and the like
  uint64_t warnings = 0;              ///< WARNING
  uint64_t errors = 0;                ///< passed over, with OnError::kContinue
  std::vector<std::string> messages;  ///< the first few of all these, in full
};

/// Executes an SQL script as `psql -f` would, over one connection, in parts if
/// wanted. COPY data go to the server as the file's bytes.
class ScriptSession {
 public:
  struct Options {
    std::filesystem::path script;
    Endpoint endpoint;
    std::string database;
    OnError on_error = OnError::kStop;
  };

  /// Connects. `bytes_sent` grows with the script's offset, for progress.
  ScriptSession(Options options, const base::Interrupt& interrupt,
                std::atomic<uint64_t>& bytes_sent);
  ~ScriptSession();

  /// Executes the steps from where it stands until `step` (or the end). Throws
  /// Error with file, line, statement and SQLSTATE if one fails; Interrupted,
  /// after cancelling what runs on the server.
  ScriptWork run_until(int64_t step);

 private:
  class Connection;

  LexerSettings lexer_settings() const;
  void execute(const Statement& statement);
  void take_results(const Statement& statement);
  void send_copy_data(const Statement& statement);
  void execute(const BackslashCommand& command);
  void drop_copy_data();
  void skip_copy_data();
  void reconnect(const BackslashCommand& command);
  void fail(const pg_result* result, const Statement& statement,
            int64_t copy_begin);
  void fail(const std::string& sentence, const std::string& hint = "");

  Options options_;
  const base::Interrupt& interrupt_;
  std::atomic<uint64_t>& bytes_sent_;
  ScriptReader reader_;
  ScriptWork work_;
  std::unique_ptr<Connection> connection_;
  std::string restrict_key_;  ///< not empty: between \restrict and \unrestrict
};

}  // namespace sidegrade::postgres
