#include "postgres/statement_executor.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/text.h"

namespace sidegrade::postgres {
namespace {

constexpr size_t kStatementShown = 80;
constexpr const char* kTransactionFailed = "25P02";
constexpr const char* kCutShort =
    "the script ends before the line \\. that ends the COPY data";

/// The number behind "line " in an error's context ("COPY t, line 3, column
/// …").
int64_t copy_line_of(const std::string& context) {
  const size_t at = context.find(", line ");
  if (!context.starts_with("COPY ") || at == std::string::npos) return 0;
  return std::strtoll(context.c_str() + at + 7, nullptr, 10);
}

/// File and line of an error of `statement`.
std::string error_place(const PGresult* result,
                        const script::Statement& statement,
                        const script::File& file,
                        const script::CopySource* source,
                        int64_t characters_before) {
  const int64_t row = copy_line_of(error_field(result, PG_DIAG_CONTEXT));
  if (source != nullptr && row > 0) return source->place_of(row);
  const std::string position = error_field(result, PG_DIAG_STATEMENT_POSITION);
  int64_t line = statement.line;
  int64_t characters =
      position.empty() ? 0 : std::stoll(position) - 1 - characters_before;
  for (const char* c = statement.text; *c != '\0' && characters > 0; ++c) {
    if (*c == '\n') ++line;
    if ((*c & 0xc0) != 0x80) --characters;  // count characters, not UTF-8 bytes
  }
  return file.place(line);
}

}  // namespace

std::string shown(const script::Statement& statement) {
  const std::string_view text = statement.text;
  const size_t newline = text.find('\n');
  const bool cut =
      newline != std::string_view::npos || text.size() > kStatementShown;
  const std::string_view begin =
      text.substr(0, std::min(newline, kStatementShown));
  return cut ? std::string(begin) + " …" : std::string(begin);
}

StatementError describe_error(const PGresult* result,
                              const script::Statement& statement,
                              const script::File& file,
                              const script::CopySource* source,
                              int64_t characters_before) {
  StatementError error{.sqlstate = error_field(result, PG_DIAG_SQLSTATE),
                       .message = error_field(result, PG_DIAG_MESSAGE_PRIMARY)};
  if (error.message.empty()) {
    error.message = base::trim(PQresultErrorMessage(result));
  }
  error.sentence = fmt::format(
      "{}: {}", error_place(result, statement, file, source, characters_before),
      error.message);
  if (!error.sqlstate.empty()) {
    error.sentence += fmt::format(" (SQLSTATE {})", error.sqlstate);
  }
  error.hint = "in " + shown(statement);
  const std::string context = error_field(result, PG_DIAG_CONTEXT);
  if (!context.empty()) error.hint += "\n" + context;
  return error;
}

std::vector<StatementError> StatementExecutor::execute(
    const script::Statement& statement, const script::File& file,
    const NextSource& next_source, const OnRows& on_rows) {
  std::vector<StatementError> errors;
  ++work_.statements;
  rows_of_last_ = 0;
  if (!connection_.send(statement.text)) {
    errors.push_back({fmt::format("{}: {}", file.place(statement.line),
                                  connection_.error_text()),
                      "in " + shown(statement)});
    return errors;
  }
  std::optional<script::CopySource> source;
  int copies = 0;
  while (const Result result = connection_.next_result()) {
    switch (PQresultStatus(result.get())) {
      case PGRES_COPY_IN:
        source.emplace(next_source());
        send_rows(*source);
        ++copies;
        break;
      case PGRES_COPY_OUT:
        connection_.drop_copy_data();
        break;
      case PGRES_FATAL_ERROR:
      case PGRES_BAD_RESPONSE:
        errors.push_back(describe_error(result.get(), statement, file,
                                        source ? &*source : nullptr));
        break;
      default:
        rows_of_last_ = rows_brought(*result);
        work_.rows += rows_of_last_;
        if (on_rows && PQresultStatus(result.get()) == PGRES_TUPLES_OK) {
          on_rows(*result);
        }
    }
  }
  // As psql since 15.19: the data of a COPY that the server refused are no SQL.
  for (; copies < statement.copies_from_stdin; ++copies) next_source().skip();
  return errors;
}

std::vector<StatementError> StatementExecutor::execute(
    StatementBatch& batch, const script::File& file) {
  std::vector<StatementError> errors;
  if (!connection_.send(batch.text())) {
    const script::Statement first = batch.statement(0);
    errors.push_back({fmt::format("{}: {}", file.place(first.line),
                                  connection_.error_text()),
                      "in " + shown(first)});
    return errors;
  }
  size_t answered = 0;
  while (const Result result = connection_.next_result()) {
    if (PQresultStatus(result.get()) == PGRES_FATAL_ERROR) {
      errors.push_back(describe_error(
          result.get(), batch.statement(std::min(answered, batch.size() - 1)),
          file, nullptr, batch.characters_before(answered)));
    } else {
      rows_of_last_ = rows_brought(*result);
      work_.rows += rows_of_last_;
    }
    ++answered;
  }
  // A message that can't be parsed is refused as a whole, which looks like an
  // error of its first statement. Alone, and in a transaction that has failed,
  // the one at fault still gets that error.
  const bool first_failed = answered == 1 && !errors.empty();
  if (!first_failed) work_.statements += answered;
  std::vector<StatementError> alone =
      execute_alone(batch, first_failed ? 0 : answered, file);
  if (!first_failed) {
    errors.insert(errors.end(), alone.begin(), alone.end());
    return errors;
  }
  const auto at_fault =
      std::find_if(alone.begin(), alone.end(), [](const StatementError& error) {
        return error.sqlstate != kTransactionFailed;
      });
  if (at_fault != alone.end()) return {at_fault, alone.end()};
  if (!alone.empty()) alone.front() = errors.front();
  return alone.empty() ? errors : alone;
}

/// What is left of the batch from its statement `begin` on, one by one.
std::vector<StatementError> StatementExecutor::execute_alone(
    StatementBatch& batch, size_t begin, const script::File& file) {
  std::vector<StatementError> errors;
  for (size_t i = begin; i < batch.size() && !connection_.broken(); ++i) {
    for (StatementError& error :
         execute(batch.statement(i), file, NextSource())) {
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

void StatementExecutor::send_rows(script::CopySource& source) {
  for (std::string_view bytes = source.next(); !bytes.empty();
       bytes = source.next()) {
    if (!connection_.put_copy_data(bytes)) break;  // the next result says why
    work_.copy_bytes += bytes.size();
    bytes_sent_.fetch_add(bytes.size(), std::memory_order_relaxed);
  }
  connection_.end_copy(source.complete() ? nullptr : kCutShort);
}

}  // namespace sidegrade::postgres
