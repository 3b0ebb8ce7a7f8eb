#include "report/json.h"
#include "report/renderers.h"

namespace sidegrade::report {
namespace {

using store::json_quote;

std::string cell_json(const std::optional<analysis::Summary>& cell) {
  if (!cell) return "null";
  return json_object({{"median", json_number(cell->median)},
                      {"spread", json_number(cell->spread)},
                      {"trials", std::to_string(cell->trials)},
                      {"boots", std::to_string(cell->boots)}});
}

std::string row_json(const ComparisonTable& table, const Row& row) {
  std::vector<std::string> cells;
  std::vector<std::string> ratios;
  for (const auto& cell : row.cells) cells.push_back(cell_json(cell));
  for (const auto& ratio : row.ratios) ratios.push_back(json_number(ratio));
  const char* group = table.by == By::kKernel ? "target" : "kernel";
  return json_object({{"phase", json_quote(row.phase)},
                      {group, json_quote(row.group)},
                      {"measure", json_quote(row.measure)},
                      {"cells", json_list(cells)},
                      {"ratios", json_list(ratios)}});
}

std::string difference_json(const analysis::Difference& difference) {
  return json_object({{"name", json_quote(difference.name)},
                      {"values", json_strings(difference.values)}});
}

}  // namespace

std::string render_json(const ComparisonTable& table) {
  std::vector<std::string> rows;
  for (const Row& row : table.rows) rows.push_back(row_json(table, row));
  std::vector<std::string> differences;
  for (const analysis::Difference& difference : table.differences) {
    differences.push_back(difference_json(difference));
  }
  return json_object(
             {{"format", json_quote("sidegrade-comparison")},
              {"version", "1"},
              {"scenario", json_quote(table.scenario)},
              {"host", json_quote(table.host)},
              {"by", json_quote(table.by == By::kKernel ? "kernel" : "target")},
              {"unit", json_quote("s")},
              {"columns", json_strings(table.columns)},
              {"rows", json_list(rows)},
              {"differences", json_list(differences)},
              {"notes", json_strings(table.notes)}}) +
         "\n";
}

}  // namespace sidegrade::report
