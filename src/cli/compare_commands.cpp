#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "cli/commands.h"
#include "report/comparison.h"
#include "report/render.h"
#include "store/store.h"

namespace sidegrade::cli {
namespace {

/// Columns of the terminal on standard output; a file gets the default.
size_t output_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 ||
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return report::kDefaultWidth;
  }
  return std::max<size_t>(size.ws_col, 40);
}

store::History load(const Options& options, store::Detail detail) {
  store::History history = store::load(options.paths.results, detail);
  for (const std::string& warning : history.warnings) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
  return history;
}

}  // namespace

int compare(const Options& options, const base::Interrupt& /*interrupt*/) {
  const report::By by =
      options.by == "target" ? report::By::kTarget : report::By::kKernel;
  const report::ComparisonTable table =
      report::build_table(load(options, store::Detail::kTimes),
                          {.kernels = options.kernels,
                           .scenario = options.scenario_name,
                           .host = options.host},
                          by);
  fmt::print("{}", report::render(table, report::format_named(options.format),
                                  output_width()));
  return 0;
}

int list(const Options& options, const base::Interrupt& /*interrupt*/) {
  fmt::print("{}", report::render_list(load(options, store::Detail::kTimes),
                                       report::format_named(options.format),
                                       output_width()));
  return 0;
}

}  // namespace sidegrade::cli
