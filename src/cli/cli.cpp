#include "cli/cli.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/commands.h"
#include "scenario/scenario.h"

namespace sidegrade::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kInterrupted = 130;

std::unique_ptr<CLI::App> make_app(Options& options) {
  auto app = std::make_unique<CLI::App>(
      "Is this kernel (or file system) an upgrade, a downgrade or a sidegrade "
      "for your PostgreSQL?",
      "sidegrade");
  app->set_version_flag("--version", base::tool_version());
  app->require_subcommand(1);
  for (const CommandRow& row : command_table()) {
    CLI::App* command = app->add_subcommand(
        row.name, fmt::format("{}\n{}", row.what, row.when));
    command->footer(fmt::format("Example: {}", row.example));
    row.add_options(*command, options);
  }
  return app;
}

/// "unknown command "comapre" — did you mean "compare"?", if that is what is
/// wrong; CLI11 only says that it did not expect the word.
std::string unknown_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::vector<std::string> names;
  for (const CommandRow& row : command_table()) names.emplace_back(row.name);
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return "";
  return fmt::format("error: unknown command \"{}\"{}\n", argv[1],
                     base::did_you_mean(argv[1], names));
}

void print_error(const base::Error& error) {
  fmt::print(stderr, "error: {}\n", error.what());
  for (const std::string& line : base::split(error.hint(), '\n')) {
    if (!line.empty()) fmt::print(stderr, "       {}\n", line);
  }
}

/// PGOPTIONS, PGPORT and the like are meant for the user's own servers; here
/// they would change what is measured, and no record would say so.
void forget_libpq_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.starts_with("PG")) names.push_back(base::split(text, '=').front());
  }
  for (const std::string& name : names) {
    unsetenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): no thread yet
  }
}

int execute(const CLI::App& app, const Options& options) {
  const base::Interrupt interrupt = base::Interrupt::on_signals();
  const std::string name = app.get_subcommands().front()->get_name();
  const auto row =
      std::find_if(command_table().begin(), command_table().end(),
                   [&](const CommandRow& one) { return one.name == name; });
  return row->execute(options, interrupt);
}

}  // namespace

int main(int argc, char** argv) {
  forget_libpq_variables();
  Options options;
  options.paths = default_paths();
  try {
    const auto app = make_app(options);
    try {
      app->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      const std::string unknown = unknown_command(argc, argv);
      if (error.get_exit_code() != 0 && !unknown.empty()) {
        fmt::print(stderr, "{}", unknown);
        return kUsage;
      }
      return app->exit(error) == 0 ? 0 : kUsage;
    }
    return execute(*app, options);
  } catch (const scenario::ScenarioError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kUsage;
  } catch (const base::Interrupted&) {
    return kInterrupted;
  } catch (const base::Error& error) {
    print_error(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
  }
  return kFailed;
}

}  // namespace sidegrade::cli
