#include "postgres/script_reader.h"

#include <fmt/format.h>

#include <cctype>
#include <cstring>

#include "base/error.h"

extern "C" {
#include <postgres_fe.h>
// The one above must come first.
#include <fe_utils/psqlscan.h>
// For scanbuf alone: flex ends the text read so far with a NUL, so that
// strlen(scanbuf) says where a backslash command begins, as pgbench relies on.
#include <fe_utils/psqlscan_int.h>
}

namespace sidegrade::postgres {
namespace {

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// One argument of a backslash command, from `text` at `at`: quotes are taken
/// off, a doubled quote inside stands for one.
std::string read_argument(std::string_view text, size_t& at) {
  std::string word;
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == 0 && (is_blank(c) || c == '\\')) break;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      if (at + 1 < text.size() && text[at + 1] == quote) {
        word += text[++at];
      } else {
        quote = 0;
      }
    } else {
      word += c;
    }
  }
  return word;
}

}  // namespace

/// psql's lexer and the buffer in which it gathers a statement.
struct ScriptReader::Lexer {
  Lexer() : state(psql_scan_create(&callbacks)), query(createPQExpBuffer()) {}
  Lexer(const Lexer&) = delete;
  Lexer& operator=(const Lexer&) = delete;
  ~Lexer() {
    psql_scan_destroy(state);
    destroyPQExpBuffer(query);
  }

  bool in_quote() const { return psql_scan_in_quote(state); }
  bool empty() const { return query->len == 0; }
  void setup(const std::string& line, const LexerSettings& settings) {
    psql_scan_setup(state, line.data(), static_cast<int>(line.size()),
                    settings.encoding, settings.standard_strings);
  }

  PsqlScanCallbacks callbacks{};
  PsqlScanState state;
  PQExpBuffer query;
  /// The statement gathered, which stays valid until the next step is read.
  Statement statement(int64_t line) {
    returned = true;
    const int copies = psql_scan_count_copy_from_stdin(state) - copies_seen;
    copies_seen += copies;
    return {query->data, line, copies};
  }

  bool returned = false;  ///< the buffer holds what the caller was given
  int copies_seen = 0;    ///< the lexer counts them over the whole script
  size_t length_at_line_start = 0;
};

ScriptReader::ScriptReader(const std::filesystem::path& path)
    : file_(path), lexer_(std::make_unique<Lexer>()) {}
ScriptReader::ScriptReader(ScriptReader&&) noexcept = default;
ScriptReader::~ScriptReader() = default;

std::string ScriptReader::place(int64_t line) const {
  return fmt::format("{}:{}", file_.path().filename().string(), line);
}

void ScriptReader::refuse_what_is_no_script(std::string_view line) const {
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

/// Gives the lexer the next line that matters, as psql does: empty lines count
/// only inside quotes, and a statement's lines are joined by newlines.
bool ScriptReader::next_line(const LexerSettings& settings) {
  std::string_view line;
  do {
    if (!file_.next_line(line)) return false;
    refuse_what_is_no_script(line);
    if (file_.line_number() == 1 && line.starts_with("\xef\xbb\xbf")) {
      line.remove_prefix(3);
    }
  } while (line.empty() && !lexer_->in_quote());
  line_.assign(line);
  settings_ = settings;
  if (!lexer_->empty()) appendPQExpBufferChar(lexer_->query, '\n');
  lexer_->length_at_line_start = lexer_->query->len;
  lexer_->setup(line_, settings_);
  in_line_ = true;
  return true;
}

/// At the end of the file: a last statement without its semicolon.
bool ScriptReader::finish(ScriptStep& step) {
  if (lexer_->empty()) return false;
  ++steps_;
  step = lexer_->statement(statement_line_);
  return true;
}

bool ScriptReader::next(const LexerSettings& settings, ScriptStep& step) {
  if (lexer_->returned) {
    resetPQExpBuffer(lexer_->query);
    lexer_->returned = false;
  }
  for (;;) {
    if (!in_line_ && !next_line(settings)) return finish(step);
    const bool was_empty = lexer_->empty();
    promptStatus_t prompt = PROMPT_READY;
    const PsqlScanResult result =
        psql_scan(lexer_->state, lexer_->query, &prompt);
    if (was_empty && !lexer_->empty()) statement_line_ = file_.line_number();
    switch (result) {
      case PSCAN_SEMICOLON:
        ++steps_;
        step = lexer_->statement(statement_line_);
        return true;
      case PSCAN_BACKSLASH:
        ++steps_;
        step = read_backslash_command();
        return true;
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
BackslashCommand ScriptReader::read_backslash_command() {
  const size_t length = std::strlen(lexer_->state->scanbuf);
  const std::string_view rest = std::string_view(line_).substr(length);
  BackslashCommand command{.line = file_.line_number()};
  size_t at = 0;
  while (at < rest.size() && !is_blank(rest[at]) && rest[at] != '\\') {
    command.name += rest[at++];
  }
  for (;;) {
    while (at < rest.size() && is_blank(rest[at])) ++at;
    if (at == rest.size() || rest[at] == '\\') break;
    command.arguments.push_back(read_argument(rest, at));
  }
  psql_scan_finish(lexer_->state);
  const bool separated = rest.substr(at).starts_with("\\\\");
  in_line_ = separated || at < rest.size();
  if (in_line_) {
    line_ = std::string(rest.substr(at + (separated ? 2 : 0)));
    lexer_->setup(line_, settings_);
  }
  // psql adds the newline between lines before it knows that the next holds
  // only a command, and takes it back then.
  const size_t start = lexer_->length_at_line_start;
  if (start > 0 && lexer_->query->len == start) {
    lexer_->query->data[--lexer_->query->len] = '\0';
  }
  return command;
}

ScriptFile::CopyPiece ScriptReader::next_copy_piece() {
  return file_.next_copy_piece();
}

}  // namespace sidegrade::postgres
