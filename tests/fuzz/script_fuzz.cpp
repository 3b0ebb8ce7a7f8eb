// An input is a script. Reading it ends well or with an Error: no crash, leak,
// endless reading or other exception.

#include <cstring>
#include <optional>
#include <string>

#include "fuzz/input_file.h"
#include "script/interpreter.h"
#include "script/needs.h"
#include "script/outline.h"
#include "script/reader.h"
#include "script/variables.h"

namespace sidegrade::fuzz {
namespace {

/// PG_SJIS: the second byte of its characters may be a backslash.
constexpr int kShiftJis = 35;

void check(const script::Statement& statement, const script::Reader& reader) {
  require(statement.line >= 1, "a statement begins on a line");
  require(statement.line <= reader.file().line_number(),
          "it begins in what was read");
  require(std::strlen(statement.text) <= reader.file().offset(),
          "it is no longer than what was read");
}

std::optional<std::string> session_value(const std::string&) { return "1"; }

void skip_copy_data(script::File& file) {
  while (!file.next_copy_piece().last) {
  }
}

/// Past backslash commands, as if nothing came of them, and letting each COPY
/// have its data.
void read_items(const std::filesystem::path& path) {
  script::Variables variables(session_value);
  variables.set("v", "1;");  // as long as its name in a script, also quoted
  script::Reader reader(path, variables, script::Reading::kExecuting);
  const script::LexerSettings settings{kShiftJis, false};
  script::Reader::Item item;
  while (reader.next(settings, item)) {
    const auto* statement = std::get_if<script::Statement>(&item);
    if (statement == nullptr) continue;
    check(*statement, reader);
    for (int i = 0; i < statement->copies_from_stdin; ++i) {
      skip_copy_data(reader.file());
    }
  }
  require(reader.file().offset() == reader.file().size(),
          "the end is the end of the file");
}

/// As a session does.
void read_steps(const std::filesystem::path& path) {
  script::Interpreter interpreter(path, script::Reading::kExecuting,
                                  session_value);
  script::Step step;
  while (interpreter.next({}, step)) {
    if (const auto* execute = std::get_if<script::ExecuteStep>(&step)) {
      for (int i = 0; i < execute->statement.copies_from_stdin; ++i) {
        skip_copy_data(interpreter.file());
      }
    }
  }
}

template <typename Reading>
void run(Reading reading) {
  try {
    reading();
  } catch (const base::Error& error) {
    require(*error.what() != '\0', "an Error says what is wrong");
  }
}

}  // namespace
}  // namespace sidegrade::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sidegrade;
  static fuzz::InputFile file;
  file.write({reinterpret_cast<const char*>(data), size});
  fuzz::run([&] {
    script::NeedsCollector needs;
    script::read_outline(file.path(), needs);
  });
  fuzz::run([&] { fuzz::read_steps(file.path()); });
  fuzz::run([&] { fuzz::read_items(file.path()); });
  return 0;
}
