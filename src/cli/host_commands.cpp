#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "bench/environment.h"
#include "bench/restore.h"
#include "cli/commands.h"
#include "host/facts.h"
#include "postgres/installation.h"
#include "report/facts.h"

namespace sidegrade::cli {
namespace {

namespace fs = std::filesystem;

/// The block devices that hold something: a size of zero is a loop or zram
/// device in waiting.
std::vector<std::string> present_block_devices() {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator("/sys/block", absent)) {
    const auto size = base::try_read_file(entry.path() / "size");
    if (size && *size != "0\n") names.push_back(entry.path().filename());
  }
  return names;
}

std::optional<postgres::Installation> find_postgres() {
  try {
    return postgres::find_installation("auto");
  } catch (const base::Error&) {
    return std::nullopt;  // a machine that only compares needs none
  }
}

void print_pending(const base::PendingJournal& journal) {
  fmt::print("{}{}\n", journal.path.stem().string(),
             journal.alive ? " (still running: left alone)" : "");
  for (const base::UndoEntry& entry : journal.entries) {
    fmt::print("  {}\n", entry.text());
  }
}

}  // namespace

int env(const Options& options, const base::Interrupt& /*interrupt*/) {
  const host::Facts facts =
      bench::read_environment(present_block_devices(), find_postgres());
  fmt::print("{}",
             report::render_facts(facts, options.json ? report::Format::kJson
                                                      : report::Format::kText));
  return 0;
}

int restore(const Options& options, const base::Interrupt& /*interrupt*/) {
  const auto journals = bench::pending_restores(options.paths.state);
  if (journals.empty()) {
    fmt::print("nothing to restore\n");
    return 0;
  }
  for (const base::PendingJournal& journal : journals) print_pending(journal);
  if (options.only_check) return 0;
  const std::vector<std::string> problems = bench::restore(journals);
  for (const std::string& problem : problems) {
    fmt::print(stderr, "error: {}\n", problem);
  }
  if (problems.empty()) fmt::print("all of it is undone\n");
  return problems.empty() ? 0 : 1;
}

}  // namespace sidegrade::cli
