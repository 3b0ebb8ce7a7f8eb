#include "script/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "script/arguments.h"

extern "C" {
#include <postgres_fe.h>
// The one above must come first.
#include <fe_utils/psqlscan.h>
// For scanbuf alone: flex ends the text read so far with a NUL, so that
// strlen(scanbuf) says where a backslash command begins, as pgbench relies on.
#include <fe_utils/psqlscan_int.h>
}

namespace sidegrade::script {
namespace {

/// Of one line: values that hold each other grow without end.
constexpr size_t kMostSubstituted = size_t{1} << 20;

ArgumentReader::Form form_of(const std::string& command) {
  if (command == "copy") return ArgumentReader::Form::kRestOfLine;
  if (command == "connect" || command == "c") {
    return ArgumentReader::Form::kName;
  }
  return ArgumentReader::Form::kWord;
}

/// A copy that the lexer frees.
char* for_lexer(const std::string& text) { return pg_strdup(text.c_str()); }

/// What of the lexer's state belongs to the statement gathered so far, to be
/// put back where a branch that is not taken ends.
struct LexerState {
  size_t query_length = 0;
  PsqlScanStateSave scan{};
};

/// An \if that is open.
struct Condition {
  int64_t line = 0;
  bool parent_active = false;
  bool active = false;     ///< this branch is taken
  bool settled = false;    ///< a branch was taken: no further one is
  bool undecided = false;  ///< looking ahead: any branch may be taken
  bool in_else = false;
  LexerState before;  ///< as of this branch's beginning
};

}  // namespace

/// psql's lexer, the buffer in which it gathers a statement, and psql's stack
/// of conditions.
struct Reader::Lexer {
  explicit Lexer(const Reader& reader)
      : state(psql_scan_create(&callbacks)),
        query(createPQExpBuffer()),
        previous(createPQExpBuffer()) {
    psql_scan_set_passthrough(state, const_cast<Reader*>(&reader));
  }
  Lexer(const Lexer&) = delete;
  Lexer& operator=(const Lexer&) = delete;
  ~Lexer() {
    psql_scan_destroy(state);
    destroyPQExpBuffer(query);
    destroyPQExpBuffer(previous);
  }

  bool in_quote() const { return psql_scan_in_quote(state); }
  bool empty() const { return query->len == 0; }
  void setup(const std::string& line, const LexerSettings& settings) {
    psql_scan_setup(state, line.data(), static_cast<int>(line.size()),
                    settings.encoding, settings.standard_strings);
  }

  /// How many COPY FROM STDIN were seen since it was asked last: the lexer
  /// counts them over the whole script.
  int take_copies() {
    const int count = psql_scan_count_copy_from_stdin(state);
    return count - std::exchange(copies_seen, count);
  }

  LexerState save() const {
    LexerState saved{query->len,
                     {.paren_depth = state->paren_depth,
                      .begin_depth = state->begin_depth,
                      .copy_stdin_count = state->copy_stdin_count,
                      .init_idents_count = state->init_idents_count}};
    std::copy(std::begin(state->init_idents), std::end(state->init_idents),
              saved.scan.init_idents);
    return saved;
  }
  void restore(const LexerState& saved) {
    query->len = saved.query_length;
    query->data[query->len] = '\0';
    state->paren_depth = saved.scan.paren_depth;
    state->begin_depth = saved.scan.begin_depth;
    state->copy_stdin_count = saved.scan.copy_stdin_count;
    state->init_idents_count = saved.scan.init_idents_count;
    std::copy(std::begin(saved.scan.init_idents),
              std::end(saved.scan.init_idents), state->init_idents);
    take_copies();
  }
  void reset() {
    psql_scan_reset(state);
    take_copies();
  }

  static char* value_of(const char* name, PsqlScanQuoteType quote,
                        void* reader) {
    const auto& self = *static_cast<const Reader*>(reader);
    Lexer& lexer = *self.lexer_;
    // A variable within its own value stays as it stands.
    if (!self.active() || psqlscan_var_is_current_source(lexer.state, name)) {
      return nullptr;
    }
    const auto value = self.variables_.find(name);
    if (!value) return nullptr;
    lexer.substituted += value->size();
    if (lexer.substituted > kMostSubstituted) return nullptr;
    return for_lexer(
        quoted(*value, quote == PQUOTE_SQL_LITERAL ? Quoting::kLiteral
                       : quote == PQUOTE_SQL_IDENT ? Quoting::kIdentifier
                                                   : Quoting::kNone));
  }

  PsqlScanCallbacks callbacks{value_of};
  PsqlScanState state;
  PQExpBuffer query;
  PQExpBuffer previous;   ///< the statement before, for a \g that stands alone
  bool returned = false;  ///< `query` holds what the caller was given
  int copies_seen = 0;
  size_t length_at_line_start = 0;
  size_t substituted = 0;  ///< bytes of variables' values in this line
  std::vector<Condition> conditions;
};

Reader::Reader(const std::filesystem::path& path, const Variables& variables,
               Reading reading)
    : file_(path),
      variables_(variables),
      reading_(reading),
      lexer_(std::make_unique<Lexer>(*this)) {}
Reader::~Reader() = default;

void Reader::refuse_what_is_no_script(std::string_view line) const {
  if (file_.line_number() == 1 && line.starts_with("PGDMP")) {
    throw base::Error(
        fmt::format("{} is a pg_dump archive in custom format, not SQL text",
                    file_.path().string()),
        "Turn it into SQL with: pg_restore -f data.sql " +
            file_.path().filename().string());
  }
  if (std::memchr(line.data(), 0, line.size()) != nullptr) {
    throw base::Error(
        fmt::format("{}: the line holds a NUL byte, which SQL text can't",
                    place(file_.line_number())),
        "If the file is UTF-16, convert it with iconv -f UTF-16 -t UTF-8.");
  }
}

/// The buffer must never fail: it would lose what it holds without a word.
void Reader::refuse_endless_statement(size_t more) const {
  if (lexer_->substituted > kMostSubstituted) {
    throw base::Error(
        fmt::format("{}: the variables in this line stand for more than {} "
                    "bytes",
                    place(file_.line_number()), kMostSubstituted),
        "Do their values hold each other?");
  }
  const bool failed = PQExpBufferBroken(lexer_->query);
  if (!failed && lexer_->query->len + more <= kLongestSql) return;
  throw base::Error(
      fmt::format("{}: the statement that begins here is longer than the 1 GiB "
                  "that PostgreSQL takes at once",
                  place(statement_line_)),
      "Is a quote missing its end?");
}

/// Gives the lexer the next line that matters, as psql does: empty lines count
/// only inside quotes, and a statement's lines are joined by newlines.
bool Reader::next_line(const LexerSettings& settings) {
  std::string_view line;
  do {
    if (!file_.next_line(line)) return false;
    refuse_what_is_no_script(line);
    if (file_.line_number() == 1 && line.starts_with("\xef\xbb\xbf")) {
      line.remove_prefix(3);
    }
    refuse_endless_statement(line.size());
  } while (line.empty() && !lexer_->in_quote());
  line_.assign(line);
  settings_ = settings;
  if (!lexer_->empty()) appendPQExpBufferChar(lexer_->query, '\n');
  lexer_->length_at_line_start = lexer_->query->len;
  lexer_->substituted = 0;
  lexer_->setup(line_, settings_);
  in_line_ = true;
  return true;
}

/// At the end of the file: a last statement without its semicolon.
bool Reader::finish(Item& item) {
  if (!quit_ && !lexer_->conditions.empty()) {
    throw base::Error(
        fmt::format("{}: the \\if that begins here has no \\endif",
                    place(lexer_->conditions.back().line)),
        "Was the file cut short?");
  }
  if (quit_ || lexer_->empty()) return false;
  item = end_statement();
  return true;
}

/// The statement gathered, which stays valid until the next item is read.
Statement Reader::end_statement() {
  lexer_->returned = true;
  return {lexer_->query->data, statement_line_, lexer_->take_copies()};
}

Statement Reader::take_statement() {
  const Statement statement =
      lexer_->empty() ? Statement{lexer_->previous->data, statement_line_}
                      : end_statement();
  lexer_->reset();
  return statement;
}

void Reader::discard_statement() {
  resetPQExpBuffer(lexer_->query);
  lexer_->reset();
}

bool Reader::next(const LexerSettings& settings, Item& item) {
  if (lexer_->returned) {
    std::swap(lexer_->query, lexer_->previous);
    resetPQExpBuffer(lexer_->query);
    lexer_->returned = false;
  }
  for (;;) {
    if (quit_ || (!in_line_ && !next_line(settings))) return finish(item);
    const bool was_empty = lexer_->empty();
    promptStatus_t prompt = PROMPT_READY;
    const PsqlScanResult result =
        psql_scan(lexer_->state, lexer_->query, &prompt);
    if (was_empty && !lexer_->empty()) statement_line_ = file_.line_number();
    refuse_endless_statement(0);
    switch (result) {
      case PSCAN_SEMICOLON:
        if (!active()) break;  // forgotten where the branch ends
        item = end_statement();
        return true;
      case PSCAN_BACKSLASH: {
        BackslashCommand command = read_backslash_command();
        if (follow_condition(command) || !active()) break;
        item = std::move(command);
        return true;
      }
      case PSCAN_INCOMPLETE:
      case PSCAN_EOL:
        psql_scan_finish(lexer_->state);
        in_line_ = false;
        break;
    }
  }
}

/// Name and arguments behind the backslash at which the lexer stopped. What
/// follows a `\\` on the line is SQL again.
BackslashCommand Reader::read_backslash_command() {
  BackslashCommand command{.line = file_.line_number()};
  if (lexer_->state->buffer_stack != nullptr) {
    throw base::Error(
        fmt::format("{}: a backslash command in a variable's value is not "
                    "understood",
                    place(command.line)),
        "Let psql read the file: client: psql in the workload.");
  }
  const size_t length = std::strlen(lexer_->state->scanbuf);
  std::string_view rest = std::string_view(line_).substr(length);
  while (!rest.empty() && !base::is_space(rest[0]) && rest[0] != '\\') {
    command.name += rest[0];
    rest.remove_prefix(1);
  }
  lookups_before_command_ = variables_.session_lookups();
  ArgumentReader arguments(rest, evaluates(command) ? &variables_ : nullptr);
  try {
    while (auto word = arguments.next(form_of(command.name))) {
      command.arguments.push_back(std::move(*word));
    }
  } catch (const base::Error& error) {
    throw base::Error(fmt::format("{}: \\{}: {}", place(command.line),
                                  command.name, error.what()),
                      "Let psql read the file: client: psql in the workload.");
  }
  go_on_with(arguments.rest());
  return command;
}

void Reader::go_on_with(std::string_view rest) {
  psql_scan_finish(lexer_->state);
  in_line_ = !rest.empty();
  if (in_line_) {
    line_ = std::string(rest);
    lexer_->setup(line_, settings_);
  }
  // psql adds the newline between lines before it knows that the next holds
  // only a command, and takes it back then.
  const size_t start = lexer_->length_at_line_start;
  if (start > 0 && lexer_->query->len == start) {
    lexer_->query->data[--lexer_->query->len] = '\0';
  }
}

bool Reader::active() const {
  return lexer_->conditions.empty() || lexer_->conditions.back().active;
}

/// Whether the command's arguments have their values. An \elif may end an
/// inactive branch and still be evaluated.
bool Reader::evaluates(const BackslashCommand& command) const {
  if (active()) return true;
  const Condition& condition = lexer_->conditions.back();
  return command.name == "elif" && condition.parent_active &&
         !condition.settled;
}

/// Whether the command belongs to the \if family; follows it if so.
bool Reader::follow_condition(const BackslashCommand& command) {
  std::vector<Condition>& conditions = lexer_->conditions;
  if (command.name == "if") {
    Condition condition{.line = command.line, .parent_active = active()};
    conditions.push_back(condition);
    conditions.back().active = condition.parent_active && holds(command);
    conditions.back().settled = conditions.back().active;
    conditions.back().before = lexer_->save();
    return true;
  }
  const bool ends = command.name == "endif";
  if (!ends && command.name != "elif" && command.name != "else") return false;
  if (conditions.empty() || (!ends && conditions.back().in_else)) {
    throw base::Error(fmt::format("{}: \\{} without its \\if",
                                  place(command.line), command.name));
  }
  if (!active()) lexer_->restore(conditions.back().before);
  if (ends) {
    conditions.pop_back();
  } else {
    switch_branch(command);
  }
  return true;
}

void Reader::switch_branch(const BackslashCommand& command) {
  Condition& condition = lexer_->conditions.back();
  condition.in_else = command.name == "else";
  const bool may =
      condition.parent_active && (condition.undecided || !condition.settled);
  condition.active =
      may && (condition.in_else || condition.undecided || holds(command));
  condition.settled = condition.settled || condition.active;
  condition.before = lexer_->save();
}

/// Whether the condition holds. psql takes what is no truth value for false.
bool Reader::holds(const BackslashCommand& command) {
  if (reading_ == Reading::kLookingAhead &&
      variables_.session_lookups() != lookups_before_command_) {
    lexer_->conditions.back().undecided = true;
    read_both_ways_ = true;
    return true;
  }
  return truth_of(base::join(command.arguments, " ")).value_or(false);
}

}  // namespace sidegrade::script
