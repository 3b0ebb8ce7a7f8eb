#include "postgres/connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/text.h"

namespace sidegrade::postgres {
namespace {

/// A longer one is sent without looking up: where libpq doesn't block, it moves
/// what is left after each piece (300 MB took 22 s instead of 0.7 s).
constexpr size_t kLongQuery = size_t{1} << 20;

}  // namespace

void ServerMessages::keep(std::string text) {
  if (first.size() < kKept) first.push_back(std::move(text));
}

void ServerMessages::add(const ServerMessages& other) {
  notices += other.notices;
  warnings += other.warnings;
  for (const std::string& text : other.first) keep(text);
}

TimeLimitPassed::TimeLimitPassed()
    : Error("the phase did not end within its time limit",
            "Raise timeout in the scenario's workload, or look why the "
            "server did not answer.") {}

std::string error_field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text != nullptr ? text : "";
}

uint64_t rows_brought(PGresult& result) {
  const std::string_view tag = PQcmdStatus(&result);
  if (!tag.starts_with("INSERT") && !tag.starts_with("COPY")) return 0;
  return std::strtoull(PQcmdTuples(&result), nullptr, 10);
}

Connection::Connection(const Endpoint& endpoint, const std::string& database,
                       const base::Interrupt& interrupt,
                       ServerMessages& messages)
    : connection_(PQconnectdb(endpoint.connection_string(database).c_str()),
                  PQfinish),
      interrupt_(interrupt) {
  if (PQstatus(get()) != CONNECTION_OK) throw base::Error(error_text());
  PQsetnonblocking(get(), 1);
  PQsetNoticeReceiver(get(), keep_notice, &messages);
}

bool Connection::broken() const { return PQstatus(get()) == CONNECTION_BAD; }

bool Connection::in_transaction_block() const {
  return PQtransactionStatus(get()) == PQTRANS_INTRANS;
}

bool Connection::idle() const {
  return PQtransactionStatus(get()) == PQTRANS_IDLE;
}

std::string Connection::error_text() const {
  return std::string(base::trim(PQerrorMessage(get())));
}

void Connection::keep_notice(void* messages, const PGresult* result) {
  auto& kept = *static_cast<ServerMessages*>(messages);
  const std::string severity =
      error_field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  ++(severity == "WARNING" ? kept.warnings : kept.notices);
  kept.keep(fmt::format("{}: {}", severity,
                        error_field(result, PG_DIAG_MESSAGE_PRIMARY)));
}

void Connection::wait(short events) {
  pollfd fds[2] = {{PQsocket(get()), events, 0}, {interrupt_.fd(), POLLIN, 0}};
  const auto left = deadline_.left();
  poll(fds, 2, left ? static_cast<int>(left->count()) : -1);
  if (fds[1].revents != 0) {
    cancel();
    throw base::Interrupted();
  }
  if (deadline_.passed()) {
    cancel();
    throw TimeLimitPassed();
  }
}

void Connection::cancel() const {
  const std::unique_ptr<PGcancel, decltype(&PQfreeCancel)> request(
      PQgetCancel(get()), PQfreeCancel);
  char error[256];
  if (request) PQcancel(request.get(), error, sizeof error);
}

/// Sends what libpq holds; reading meanwhile keeps the two sides from waiting
/// for each other.
void Connection::flush() {
  while (PQflush(get()) == 1) {
    wait(POLLIN | POLLOUT);
    if (PQconsumeInput(get()) == 0) return;
  }
}

bool Connection::send(const char* query) {
  const bool is_long = std::strlen(query) > kLongQuery;
  PQsetnonblocking(get(), is_long ? 0 : 1);
  const bool sent = PQsendQuery(get(), query) != 0;
  PQsetnonblocking(get(), 1);
  if (sent) flush();
  return sent;
}

Result Connection::next_result() {
  while (PQisBusy(get()) != 0) {
    wait(POLLIN);
    if (PQconsumeInput(get()) == 0) break;
  }
  return {PQgetResult(get()), PQclear};
}

bool Connection::set_encoding(const std::string& name) {
  PQsetnonblocking(get(), 0);
  const bool known = PQsetClientEncoding(get(), name.c_str()) == 0;
  PQsetnonblocking(get(), 1);
  return known;
}

bool Connection::put_copy_data(std::string_view bytes) {
  const auto size = static_cast<int>(bytes.size());
  int taken = 0;
  while ((taken = PQputCopyData(get(), bytes.data(), size)) == 0) flush();
  if (taken > 0) flush();
  return taken > 0;
}

void Connection::end_copy(const char* refusal) {
  while (PQputCopyEnd(get(), refusal) == 0) flush();
  flush();
}

void Connection::drop_copy_data() {
  char* row = nullptr;
  int length = 0;
  while ((length = PQgetCopyData(get(), &row, 1)) >= 0) {
    if (length > 0) {
      PQfreemem(row);
    } else {
      wait(POLLIN);
      if (PQconsumeInput(get()) == 0) return;
    }
  }
}

}  // namespace sidegrade::postgres
