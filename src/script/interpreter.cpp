#include "script/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "script/client_copy.h"

namespace sidegrade::script {
namespace {

namespace fs = std::filesystem;

/// Files within files: more is a file that includes itself.
constexpr size_t kDeepestInclusion = 32;
/// Of a variable that a script sets: one that holds itself doubles each time.
constexpr size_t kLargestValue = size_t{1} << 16;

bool is_one_of(const std::string& word,
               std::initializer_list<std::string_view> candidates) {
  return std::find(candidates.begin(), candidates.end(), word) !=
         candidates.end();
}

/// Commands that only show something, or decide how it is shown. A measured
/// script prints nothing.
bool only_shows(const std::string& name) {
  return name.starts_with('d') ||
         is_one_of(name,
                   {"echo", "qecho", "warn",  "pset",      "timing",     "a",
                    "C",    "f",     "H",     "html",      "t",          "T",
                    "x",    "p",     "print", "conninfo",  "l",          "list",
                    "l+",   "z",     "sf",    "sf+",       "sv",         "sv+",
                    "h",    "help",  "?",     "copyright", "errverbose", "s"});
}

[[noreturn]] void throw_not_understood(const std::string& place,
                                       const std::string& command,
                                       const std::string& reason) {
  throw base::Error(
      fmt::format("{}: the backslash command \\{} {}", place, command, reason),
      "Take it out, or let psql read the file: client: psql in the workload.");
}

/// psql's settings that change what statements do; those that are as at the
/// start, or only show something, are fine.
bool changes_execution(const std::string& name, const std::string& value) {
  const bool on = truth_of(value).value_or(true);
  if (name == "AUTOCOMMIT") return !on;
  if (name == "ON_ERROR_ROLLBACK") return on && value != "interactive";
  return is_one_of(name, {"SINGLELINE", "SINGLESTEP"}) && on;
}

}  // namespace

Interpreter::Interpreter(const Source& script, Reading reading,
                         Variables::SessionValue session_value)
    : reading_(reading),
      variables_(std::move(session_value)),
      directory_(script.directory) {
  readers_.push_back(
      std::make_unique<Reader>(script.path, variables_, reading));
}

uint64_t Interpreter::bytes_of_open() const {
  uint64_t sum = 0;
  for (const auto& reader : readers_) sum += reader->file().offset();
  return sum;
}

bool Interpreter::read_both_ways() const {
  return read_both_ways_ ||
         std::any_of(readers_.begin(), readers_.end(), [](const auto& reader) {
           return reader->read_both_ways();
         });
}

void Interpreter::end_file() {
  bytes_of_ended_ += readers_.back()->file().offset();
  read_both_ways_ = read_both_ways_ || readers_.back()->read_both_ways();
  readers_.pop_back();
}

bool Interpreter::next(const LexerSettings& settings, Step& step) {
  for (;;) {
    Reader::Item item;
    lookups_before_ = variables_.session_lookups();
    if (!readers_.back()->next(settings, item)) {
      if (readers_.size() == 1) return false;
      end_file();
      continue;
    }
    if (const auto* statement = std::get_if<Statement>(&item)) {
      step = ExecuteStep{*statement};
    } else if (!interpret(std::get<BackslashCommand>(item), step)) {
      continue;
    }
    ++steps_;
    return true;
  }
}

/// Whether the command left a step for the session.
bool Interpreter::interpret(const BackslashCommand& command, Step& step) {
  const std::string& name = command.name;
  if (!restrict_key_.empty() || is_one_of(name, {"restrict", "unrestrict"})) {
    return restrict(command, step);
  }
  if (is_one_of(name, {"connect", "c"})) {
    step = ConnectStep{command.arguments, command.line};
    return true;
  }
  if (name == "encoding") {
    if (command.arguments.empty()) return false;
    step = EncodingStep{command.argument(0), command.line};
    return true;
  }
  if (name.starts_with('g') || is_one_of(name, {"crosstabview"})) {
    return end_statement_by(command, step);
  }
  if (name == "copy") return interpret_copy(command, step);
  if (name == "set") {
    set_variable(command);
  } else if (name == "unset") {
    variables_.unset(command.argument(0));
  } else if (is_one_of(name, {"i", "include", "ir", "include_relative"})) {
    include(command);
  } else if (is_one_of(name, {"q", "quit"})) {
    readers_.back()->quit();
  } else if (is_one_of(name, {"r", "reset"})) {
    readers_.back()->discard_statement();
  } else if (is_one_of(name, {"o", "out"}) &&
             is_one_of(command.argument(0), {"", "/dev/null"})) {
    return false;
  } else if (!only_shows(name)) {
    throw_not_understood(place(command.line), name, "is not understood");
  }
  return false;
}

bool Interpreter::refuse(const BackslashCommand& command,
                         const std::string& reason, Step& step) const {
  step = RefusedStep{fmt::format("{}: {}", place(command.line), reason)};
  return true;
}

bool Interpreter::restrict(const BackslashCommand& command, Step& step) {
  if (command.name == "unrestrict") {
    if (restrict_key_.empty() || command.argument(0) != restrict_key_) {
      return refuse(command, "\\unrestrict: wrong key", step);
    }
    restrict_key_.clear();
    return false;
  }
  if (!restrict_key_.empty()) {
    return refuse(
        command,
        "backslash commands are restricted; only \\unrestrict is allowed",
        step);
  }
  restrict_key_ = command.argument(0);
  return false;
}

/// \g and its kin end the statement gathered so far.
bool Interpreter::end_statement_by(const BackslashCommand& command,
                                   Step& step) {
  const std::string& name = command.name;
  Reader& reader = *readers_.back();
  if (name == "gdesc") {  // describes the result, and executes nothing
    reader.discard_statement();
    return false;
  }
  if (name == "gexec") {
    step = ExecuteStep{reader.take_statement(), ExecuteStep::Use::kExecuteCells,
                       ""};
    return true;
  }
  if (name == "gset") {
    step = ExecuteStep{reader.take_statement(),
                       ExecuteStep::Use::kStoreVariables, command.argument(0)};
    return true;
  }
  if (!is_one_of(name, {"g", "gx", "crosstabview"})) {
    throw_not_understood(place(command.line), name, "is not understood");
  }
  const std::string argument = command.argument(0);
  if (name != "crosstabview" && !argument.empty() &&
      !argument.starts_with('(')) {
    throw_not_understood(place(command.line), name,
                         "writes to a file or program");
  }
  step = ExecuteStep{reader.take_statement()};
  return true;
}

bool Interpreter::interpret_copy(const BackslashCommand& command, Step& step) {
  try {
    const ClientCopy copy = read_client_copy(command.argument(0));
    CopyStep made{copy.statement, {}, command.line};
    if (!copy.file.empty()) {
      made.file = directory_ / copy.file;
      other_files_.push_back(made.file);
    }
    step = std::move(made);
    return true;
  } catch (const base::Error& error) {
    throw_not_understood(place(command.line), "copy",
                         std::string("is not understood: ") + error.what());
  }
}

void Interpreter::set_variable(const BackslashCommand& command) {
  if (command.arguments.empty()) return;  // shows them all
  const std::string name = command.argument(0);
  std::string value;
  for (size_t i = 1; i < command.arguments.size(); ++i) {
    value += command.arguments[i];
  }
  if (changes_execution(name, value)) {
    throw_not_understood(place(command.line), "set " + name,
                         "is not understood");
  }
  if (value.size() > kLargestValue) {
    throw base::Error(
        fmt::format("{}: the value of variable {} has more than {} bytes",
                    place(command.line), name, kLargestValue),
        "Does it hold itself, again and again?");
  }
  variables_.set(name, value);
}

void Interpreter::include(const BackslashCommand& command) {
  const bool relative =
      command.name == "ir" || command.name == "include_relative";
  std::string name = command.argument(0);
  name.erase(name.find_last_not_of(';') + 1);
  if (name.empty()) {
    throw_not_understood(place(command.line), command.name, "names no file");
  }
  if (reading_ == Reading::kLookingAhead &&
      variables_.session_lookups() != lookups_before_) {
    throw_not_understood(place(command.line), command.name,
                         "names a file that only a query tells");
  }
  if (readers_.size() == kDeepestInclusion) {
    throw base::Error(fmt::format("{}: files include each other {} deep",
                                  place(command.line), kDeepestInclusion),
                      "Does a file include itself?");
  }
  const fs::path base = relative && readers_.size() > 1
                            ? file().path().parent_path()
                            : directory_;
  try {
    readers_.push_back(
        std::make_unique<Reader>(base / name, variables_, reading_));
  } catch (const base::Error& error) {
    throw base::Error(fmt::format("{}: \\{}: {}", place(command.line),
                                  command.name, error.what()),
                      "Names are from the folder of the script itself; those "
                      "of \\ir from the folder of the file that includes.");
  }
  other_files_.push_back(base / name);
}

}  // namespace sidegrade::script
