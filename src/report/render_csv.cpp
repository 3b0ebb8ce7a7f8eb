#include <fmt/format.h>

#include "base/text.h"
#include "report/renderers.h"

namespace sidegrade::report {
namespace {

/// As RFC 4180 quotes a field.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string number(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

std::string render_csv(const ComparisonTable& table) {
  std::string text =
      "phase,target,kernel,measure,median,spread,trials,boots,ratio\n";
  for (const Row& row : table.rows) {
    for (size_t i = 0; i < row.cells.size(); ++i) {
      if (!row.cells[i]) continue;
      const analysis::Summary& cell = *row.cells[i];
      const bool by_kernel = table.by == By::kKernel;
      const std::string& target = by_kernel ? row.group : table.columns[i];
      const std::string& kernel = by_kernel ? table.columns[i] : row.group;
      text += base::join({field(row.phase), field(target), field(kernel),
                          row.measure, number(cell.median), number(cell.spread),
                          std::to_string(cell.trials),
                          std::to_string(cell.boots), number(row.ratios[i])},
                         ",") +
              '\n';
    }
  }
  return text;
}

}  // namespace sidegrade::report
