#include "bench/check_contents.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "workload/execution.h"

namespace sidegrade::bench {
namespace {

using store::TableCheck;

const TableCheck* find_table(const std::vector<TableCheck>& tables,
                             const std::string& name) {
  const auto found =
      std::find_if(tables.begin(), tables.end(),
                   [&](const TableCheck& table) { return table.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

void check_rows(const std::vector<TableCheck>& tables,
                const std::map<std::string, int64_t>& expected_rows) {
  for (const auto& [name, rows] : expected_rows) {
    const TableCheck* table =
        find_table(tables, workload::kDatabase + ("." + name));
    const int64_t found = table != nullptr ? table->rows : 0;
    if (found == rows) continue;
    throw base::Error(
        fmt::format("the import is wrong: {} holds {} rows, {} were generated",
                    name, found, rows));
  }
}

}  // namespace

void check_contents(const std::vector<TableCheck>& tables,
                    const std::map<std::string, int64_t>& expected_rows,
                    const std::vector<TableCheck>& reference) {
  check_rows(tables, expected_rows);
  if (reference.empty()) return;
  constexpr const char* kHint =
      "If its contents depend on now() or random(), name it in the workload's "
      "volatile_tables; otherwise something corrupted the import.";
  for (const TableCheck& expected : reference) {
    const TableCheck* table = find_table(tables, expected.name);
    if (table == nullptr) {
      throw base::Error(fmt::format(
          "the import differs: an earlier trial had the table {}, this one has "
          "not",
          expected.name));
    }
    if (table->rows != expected.rows) {
      throw base::Error(
          fmt::format(
              "the import differs: {} holds {} rows, in an earlier trial "
              "it held {}",
              expected.name, table->rows, expected.rows),
          kHint);
    }
    if (table->checksum != expected.checksum) {
      throw base::Error(
          fmt::format(
              "the import differs: the {} rows of {} are not those of an "
              "earlier trial",
              table->rows, expected.name),
          kHint);
    }
  }
  if (tables.size() != reference.size()) {
    throw base::Error(
        fmt::format("the import differs: there are {} tables, in an earlier "
                    "trial there were "
                    "{}",
                    tables.size(), reference.size()));
  }
}

}  // namespace sidegrade::bench
