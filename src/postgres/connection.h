#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "postgres/cluster.h"

struct pg_conn;    // libpq's PGconn
struct pg_result;  // and PGresult

namespace sidegrade::postgres {

/// What the server said beside its results: NOTICE, WARNING and the like.
struct ServerMessages {
  static constexpr size_t kKept = 10;

  uint64_t notices = 0;
  uint64_t warnings = 0;
  std::vector<std::string> first;  ///< the first kKept, in full

  void keep(std::string text);
  void add(const ServerMessages& other);
};

/// A phase did not end in its time.
class TimeLimitPassed : public base::Error {
 public:
  TimeLimitPassed();
};

using Result = std::unique_ptr<pg_result, void (*)(pg_result*)>;

/// A libpq connection on which every wait (but for the sending of a query of
/// more than 1 MiB) ends with an answer, an interruption
/// (Interrupted) or the deadline (TimeLimitPassed); in the latter cases the
/// server is told to cancel what it does.
class Connection {
 public:
  /// Connects. Throws Error with libpq's words.
  Connection(const Endpoint& endpoint, const std::string& database,
             const base::Interrupt& interrupt, ServerMessages& messages);

  void set_deadline(base::Deadline deadline) { deadline_ = deadline; }

  /// Sends one simple query; false if the connection is lost.
  bool send(const char* query);
  /// The next result of what was sent; null after the last.
  Result next_result();
  /// During COPY FROM STDIN. False if the connection is lost.
  bool put_copy_data(std::string_view bytes);
  /// Ends it, or, with a reason, makes the server refuse it.
  void end_copy(const char* refusal = nullptr);
  /// During COPY TO STDOUT: reads all and forgets it.
  void drop_copy_data();

  /// Waits for the server's answer; false if it knows no such encoding.
  bool set_encoding(const std::string& name);

  bool broken() const;
  /// Inside a transaction block in which nothing has failed.
  bool in_transaction_block() const;
  bool idle() const;  ///< in no transaction block, and nothing goes on
  std::string error_text() const;
  pg_conn* get() const { return connection_.get(); }

 private:
  void flush();
  void wait(short events);
  void cancel() const;
  static void keep_notice(void* messages, const pg_result* result);

  std::unique_ptr<pg_conn, void (*)(pg_conn*)> connection_;
  const base::Interrupt& interrupt_;
  base::Deadline deadline_;
};

/// A field of an error or notice (PG_DIAG_…), or "".
std::string error_field(const pg_result* result, int code);

/// Rows that a command brought in: of "INSERT 0 5" and "COPY 5"; SELECT and the
/// like bring none.
uint64_t rows_brought(pg_result& result);

}  // namespace sidegrade::postgres
