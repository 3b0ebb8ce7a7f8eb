#include "postgres/script_session.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/text.h"
#include "postgres/script_outline.h"

namespace sidegrade::postgres {
namespace {

constexpr size_t kMessagesKept = 10;
constexpr size_t kStatementShown = 80;

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

std::string field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text != nullptr ? text : "";
}

/// The statement's first line, cut to what fits a message.
std::string shown(const Statement& statement) {
  std::string text = statement.text;
  const size_t newline = text.find('\n');
  const bool cut =
      newline != std::string::npos || text.size() > kStatementShown;
  text = text.substr(0, std::min(newline, kStatementShown));
  return cut ? text + " …" : text;
}

/// The number behind "line " in an error's context ("COPY t, line 3, column
/// …").
int64_t copy_line_of(const std::string& context) {
  const size_t at = context.find(", line ");
  if (!context.starts_with("COPY ") || at == std::string::npos) return 0;
  return std::strtoll(context.c_str() + at + 7, nullptr, 10);
}

/// The line of the file on which an error of `statement` lies.
int64_t error_line(const PGresult* result, const Statement& statement,
                   int64_t copy_begin) {
  const int64_t copy_line = copy_line_of(field(result, PG_DIAG_CONTEXT));
  if (copy_begin > 0 && copy_line > 0) return copy_begin + copy_line - 1;
  const std::string position = field(result, PG_DIAG_STATEMENT_POSITION);
  int64_t line = statement.line;
  int64_t characters = position.empty() ? 0 : std::stoll(position) - 1;
  for (const char* c = statement.text; *c != '\0' && characters > 0; ++c) {
    if (*c == '\n') ++line;
    if ((*c & 0xc0) != 0x80) --characters;  // count characters, not UTF-8 bytes
  }
  return line;
}

bool is_truth(const std::string& word) {
  return word == "on" || word == "1" || word == "true" || word == "yes";
}

/// Rows that a command brought in: of "INSERT 0 5" and "COPY 5"; SELECT and the
/// like bring none.
uint64_t rows_brought(PGresult& result) {
  const std::string_view tag = PQcmdStatus(&result);
  if (!tag.starts_with("INSERT") && !tag.starts_with("COPY")) return 0;
  return std::strtoull(PQcmdTuples(&result), nullptr, 10);
}

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

}  // namespace

/// A libpq connection that counts what the server says, and that can be waited
/// on together with an interruption.
class ScriptSession::Connection {
 public:
  Connection(const std::string& parameters, ScriptWork& work)
      : connection_(PQconnectdb(parameters.c_str()), PQfinish) {
    if (PQstatus(get()) != CONNECTION_OK) {
      throw base::Error(std::string(base::trim(PQerrorMessage(get()))));
    }
    PQsetNoticeReceiver(get(), count_notice, &work);
  }

  PGconn* get() const { return connection_.get(); }
  bool broken() const { return PQstatus(get()) == CONNECTION_BAD; }

  Result next_result(const base::Interrupt& interrupt) const {
    while (PQisBusy(get()) != 0) {
      pollfd fds[2] = {{PQsocket(get()), POLLIN, 0},
                       {interrupt.fd(), POLLIN, 0}};
      poll(fds, 2, -1);
      if (fds[1].revents != 0) {
        cancel();
        throw base::Interrupted();
      }
      if (PQconsumeInput(get()) == 0) break;
    }
    return {PQgetResult(get()), PQclear};
  }

  void cancel() const {
    const std::unique_ptr<PGcancel, decltype(&PQfreeCancel)> request(
        PQgetCancel(get()), PQfreeCancel);
    char error[256];
    if (request) PQcancel(request.get(), error, sizeof error);
  }

 private:
  static void count_notice(void* work_pointer, const PGresult* result) {
    auto& work = *static_cast<ScriptWork*>(work_pointer);
    const std::string severity = field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    ++(severity == "WARNING" ? work.warnings : work.notices);
    if (work.messages.size() < kMessagesKept) {
      work.messages.push_back(fmt::format(
          "{}: {}", severity, field(result, PG_DIAG_MESSAGE_PRIMARY)));
    }
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

ScriptSession::ScriptSession(Options options, const base::Interrupt& interrupt,
                             std::atomic<uint64_t>& bytes_sent)
    : options_(std::move(options)),
      interrupt_(interrupt),
      bytes_sent_(bytes_sent),
      reader_(options_.script),
      connection_(std::make_unique<Connection>(
          options_.endpoint.connection_string(options_.database), work_)) {}

ScriptSession::~ScriptSession() = default;

LexerSettings ScriptSession::lexer_settings() const {
  const char* standard =
      PQparameterStatus(connection_->get(), "standard_conforming_strings");
  return {PQclientEncoding(connection_->get()),
          standard != nullptr && std::strcmp(standard, "on") == 0};
}

ScriptWork ScriptSession::run_until(int64_t step_end) {
  work_ = {};
  const uint64_t begin = reader_.offset();
  ScriptStep step;
  while (reader_.steps() < step_end && reader_.next(lexer_settings(), step)) {
    std::visit([this](const auto& one) { execute(one); }, step);
    bytes_sent_.store(reader_.offset(), std::memory_order_relaxed);
  }
  work_.script_bytes = reader_.offset() - begin;
  return std::move(work_);
}

void ScriptSession::fail(const std::string& sentence, const std::string& hint) {
  if (connection_->broken()) throw ServerLost(sentence, hint);
  if (options_.on_error == OnError::kStop) throw base::Error(sentence, hint);
  ++work_.errors;
  if (work_.messages.size() < kMessagesKept) work_.messages.push_back(sentence);
}

void ScriptSession::execute(const Statement& statement) {
  ++work_.statements;
  if (PQsendQuery(connection_->get(), statement.text) == 0) {
    fail(fmt::format("{}: {}", reader_.place(statement.line),
                     base::trim(PQerrorMessage(connection_->get()))));
    return;
  }
  take_results(statement);
}

/// The error's whole text: place, message, SQLSTATE; the statement as the hint.
void ScriptSession::fail(const PGresult* result, const Statement& statement,
                         int64_t copy_begin) {
  const std::string sqlstate = field(result, PG_DIAG_SQLSTATE);
  const std::string context = field(result, PG_DIAG_CONTEXT);
  std::string message = field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (message.empty()) message = base::trim(PQresultErrorMessage(result));
  if (!sqlstate.empty()) message += fmt::format(" (SQLSTATE {})", sqlstate);
  fail(fmt::format("{}: {}",
                   reader_.place(error_line(result, statement, copy_begin)),
                   message),
       fmt::format("in {}{}", shown(statement),
                   context.empty() ? "" : "\n" + context));
}

void ScriptSession::take_results(const Statement& statement) {
  int64_t copy_begin = 0;
  int copies = 0;
  while (const Result result = connection_->next_result(interrupt_)) {
    switch (PQresultStatus(result.get())) {
      case PGRES_COPY_IN:
        copy_begin = reader_.line() + 1;
        send_copy_data(statement);
        ++copies;
        break;
      case PGRES_COPY_OUT:
        drop_copy_data();
        break;
      case PGRES_FATAL_ERROR:
      case PGRES_BAD_RESPONSE:
        fail(result.get(), statement, copy_begin);
        break;
      default:
        work_.rows += rows_brought(*result);
    }
  }
  // As psql since 15.19: the data of a COPY that the server refused are no SQL.
  for (; copies < statement.copies_from_stdin; ++copies) skip_copy_data();
}

void ScriptSession::skip_copy_data() {
  while (!reader_.next_copy_piece().last) {
  }
}

void ScriptSession::send_copy_data(const Statement& statement) {
  PGconn* connection = connection_->get();
  ScriptFile::CopyPiece piece;
  do {
    interrupt_.check();
    piece = reader_.next_copy_piece();
    const auto size = static_cast<int>(piece.bytes.size());
    if (size > 0 && PQputCopyData(connection, piece.bytes.data(), size) < 0) {
      throw ServerLost(fmt::format("{}: {}", reader_.place(reader_.line()),
                                   base::trim(PQerrorMessage(connection))),
                       "in " + shown(statement));
    }
    work_.copy_bytes += piece.bytes.size();
    bytes_sent_.store(reader_.offset(), std::memory_order_relaxed);
  } while (!piece.last);
  PQputCopyEnd(connection,
               piece.marker_found
                   ? nullptr
                   : "the script ends before the line \\. that ends "
                     "the COPY data");
}

void ScriptSession::drop_copy_data() {
  char* row = nullptr;
  while (PQgetCopyData(connection_->get(), &row, 0) > 0) PQfreemem(row);
}

void ScriptSession::execute(const BackslashCommand& command) {
  const std::string place = reader_.place(command.line);
  const auto argument = [&](size_t i) {
    return i < command.arguments.size() ? command.arguments[i] : "";
  };
  if (!restrict_key_.empty() && command.name != "unrestrict") {
    fail(place +
         ": backslash commands are restricted; only \\unrestrict is allowed");
  } else if (command.name == "restrict") {
    restrict_key_ = argument(0);
  } else if (command.name == "unrestrict") {
    if (argument(0) == restrict_key_) {
      restrict_key_.clear();
    } else {
      fail(place + ": \\unrestrict: wrong key");
    }
  } else if (command.name == "connect" || command.name == "c") {
    reconnect(command);
  } else if (command.name == "encoding") {
    if (PQsetClientEncoding(connection_->get(), argument(0).c_str()) != 0) {
      fail(fmt::format(R"({}: \encoding: "{}" is no encoding)", place,
                       argument(0)));
    }
  } else if (is_understood(command)) {  // \set ON_ERROR_STOP
    options_.on_error =
        is_truth(argument(1)) ? OnError::kStop : OnError::kContinue;
  } else {
    fail(fmt::format("{}: the backslash command \\{} is not understood", place,
                     command.name));
  }
}

/// `\connect [-reuse-previous=…] DATABASE [USER …]`, or a connection string, of
/// which the database and the user count: there is one server here.
void ScriptSession::reconnect(const BackslashCommand& command) {
  std::vector<std::string> words = command.arguments;
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
    connection_ = std::make_unique<Connection>(
        endpoint.connection_string(database), work_);
  } catch (const base::Error& error) {
    // psql's script would go on without a connection: no use here.
    throw base::Error(
        fmt::format("{}: {}", reader_.place(command.line), error.what()));
  }
}

}  // namespace sidegrade::postgres
