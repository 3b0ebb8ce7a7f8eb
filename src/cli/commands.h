#pragma once

#include <vector>

#include "base/interrupt.h"
#include "cli/options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace sidegrade::cli {

/// One sub-command: a row of the table.
struct CommandRow {
  const char* name;
  const char* what;     ///< one line
  const char* when;     ///< one line
  const char* example;  ///< one command line
  void (*add_options)(CLI::App& app, Options& options);
  /// Returns the exit code; throws base::Error.
  int (*execute)(const Options& options, const base::Interrupt& interrupt);
};

const std::vector<CommandRow>& command_table();

int check(const Options& options, const base::Interrupt& interrupt);
int run(const Options& options, const base::Interrupt& interrupt);
int compare(const Options& options, const base::Interrupt& interrupt);
int list(const Options& options, const base::Interrupt& interrupt);
int env(const Options& options, const base::Interrupt& interrupt);
int restore(const Options& options, const base::Interrupt& interrupt);

}  // namespace sidegrade::cli
