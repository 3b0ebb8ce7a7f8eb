#include "script/outline.h"

#include <fmt/format.h>

#include "base/error.h"
#include "script/interpreter.h"
#include "script/parallel_statement.h"
#include "script/sql_words.h"
#include "script/statement_kind.h"

namespace sidegrade::script {
namespace {

/// Where a block may be cut: fine enough for any number of jobs.
constexpr uint64_t kStretchBytes = uint64_t{1} << 20;

/// A newline behind an odd number of backslashes is part of a value.
bool ends_row(std::string_view bytes) {
  const std::string_view row = bytes.substr(0, bytes.size() - 1);
  const size_t backslashes_begin = row.find_last_not_of('\\') + 1;  // npos: 0
  return (row.size() - backslashes_begin) % 2 == 0;
}

/// Reads one script ahead, and keeps what there is to know.
class Outliner {
 public:
  Outliner(const Source& script, NeedsCollector& needs)
      : needs_(needs),
        script_(script, Reading::kLookingAhead,
                [this](const std::string& name) { return value_of(name); }) {}

  Outline read();

 private:
  std::optional<std::string> value_of(const std::string& name);
  void visit(const ExecuteStep& step);
  void visit(const CopyStep& step);
  void visit(const EncodingStep& step);
  void visit(const ConnectStep& /*step*/) {}
  void visit(const RefusedStep& /*step*/) {}
  void note_data();
  void note(const Statement& statement);
  void follow_settings(std::string_view text);
  void set_encoding(const std::string& name);
  uint64_t pass_copy_data(int64_t line);

  NeedsCollector& needs_;
  Interpreter script_;
  LexerSettings settings_;
  Outline outline_;
  bool results_stored_ = false;  ///< by \gset: any name may be a variable
  bool results_used_ = false;
};

/// What only a session knows has some value here; that it was asked for counts.
std::optional<std::string> Outliner::value_of(const std::string& name) {
  outline_.waits_for_answers = outline_.waits_for_answers || is_answer(name);
  if (is_session_value(name)) return "0";
  if (!results_stored_) return std::nullopt;
  results_used_ = true;
  return "0";
}

Outline Outliner::read() {
  Step step;
  while (script_.next(settings_, step)) {
    std::visit([this](const auto& one) { visit(one); }, step);
  }
  outline_.steps = script_.steps();
  outline_.other_files = script_.other_files();
  if (script_.variables().find("ON_ERROR_STOP")) {
    outline_.waits_for_answers = true;
  }
  outline_.depends_on_session = script_.read_both_ways() || results_used_;
  if (outline_.depends_on_session) {
    outline_.data_begin = 0;
    outline_.post_data_begin.reset();
  }
  return std::move(outline_);
}

void Outliner::note_data() {
  if (!outline_.data_begin) outline_.data_begin = script_.steps() - 1;
  outline_.post_data_begin.reset();
  outline_.rows_tied_at = outline_.first_tie;
}

void Outliner::note(const Statement& statement) {
  const std::string_view text = statement.text;
  switch (classify_statement(text)) {
    case StatementKind::kData:
      note_data();
      return;
    case StatementKind::kPostData:
      if (!outline_.post_data_begin) {
        outline_.post_data_begin = script_.steps() - 1;
      }
      break;
    case StatementKind::kOther:
      follow_settings(text);
  }
  if (outline_.first_tie.empty() && ties_rows_together(text)) {
    outline_.first_tie = script_.place(statement.line);
  }
  needs_.read(text, settings_, script_.file().path().filename().string(),
              statement.line);
}

void Outliner::visit(const ExecuteStep& step) {
  uint64_t bytes = 0;
  for (int i = 0; i < step.statement.copies_from_stdin; ++i) {
    bytes += pass_copy_data(step.statement.line);
  }
  if (bytes > 0) {
    for (const std::string& table :
         parallel_statement(step.statement.text, settings_).tables) {
      outline_.table_bytes[table] += bytes;
    }
  }
  note(step.statement);
  results_stored_ =
      results_stored_ || step.use == ExecuteStep::Use::kStoreVariables;
}

void Outliner::visit(const CopyStep& step) {
  note_data();
  if (step.file.empty()) {
    pass_copy_data(step.line);
    return;
  }
  try {
    const File rows(step.file);
  } catch (const base::Error& error) {
    throw base::Error(
        fmt::format("{}: \\copy: {}", script_.place(step.line), error.what()),
        "Names are from the folder of the script itself.");
  }
}

void Outliner::visit(const EncodingStep& step) { set_encoding(step.encoding); }

void Outliner::set_encoding(const std::string& name) {
  settings_.encoding = encoding_of(name).value_or(settings_.encoding);
}

/// Follows `SET standard_conforming_strings` and `client_encoding` as the
/// session would.
void Outliner::follow_settings(std::string_view text) {
  SqlWords words(text);
  SqlWord word;
  if (!words.next(word) || !word.is("set")) return;
  words.next(word);
  if (word.is("session") || word.is("local")) words.next(word);
  const bool strings = word.is("standard_conforming_strings");
  if (!strings && !word.is("client_encoding")) return;
  words.next(word);  // = or TO
  if (!words.next(word)) return;
  if (strings) {
    settings_.standard_strings = truth_of(word.value()).value_or(true);
  } else {
    set_encoding(word.value());
  }
}

/// Bytes of the rows.
uint64_t Outliner::pass_copy_data(int64_t line) {
  File& file = script_.file();
  CopyBlock block{.rows = {.begin = file.offset(),
                           .end = file.offset(),
                           .first_line = file.line_number() + 1}};
  File::CopyPiece piece;
  bool cut = true;  // before this piece
  do {
    CopyRange rows{.begin = block.rows.end,
                   .first_line = block.rows.first_line + block.rows.lines};
    piece = file.next_copy_piece();
    rows.end = rows.begin + piece.bytes.size();
    rows.lines =
        file.line_number() + 1 - rows.first_line - (piece.marker_found ? 1 : 0);
    block.rows.end = rows.end;
    block.rows.lines += rows.lines;
    if (cut) {
      block.stretches.push_back(rows);
    } else {
      block.stretches.back().end = rows.end;
      block.stretches.back().lines += rows.lines;
    }
    cut = piece.bytes.ends_with('\n') && ends_row(piece.bytes) &&
          block.stretches.back().bytes() >= kStretchBytes;
  } while (!piece.last);
  if (!piece.marker_found) {
    throw base::Error(
        fmt::format("{}: the COPY data that begin here have no end: the line "
                    "\\. is missing",
                    file.place(line)),
        "Was the file cut short? psql would take all that follows as rows.");
  }
  const uint64_t bytes = block.rows.bytes();
  outline_.copy_blocks[file.path()][block.rows.begin] = std::move(block);
  return bytes;
}

}  // namespace

Outline read_outline(const Source& script, NeedsCollector& needs) {
  return Outliner(script, needs).read();
}

}  // namespace sidegrade::script
