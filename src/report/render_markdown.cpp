#include <fmt/format.h>

#include "base/text.h"
#include "report/renderers.h"

namespace sidegrade::report {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '*' || c == '_' || c == '<') {
      result += '\\';
    }
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string line(const std::vector<std::string>& cells) {
  return "| " + base::join(cells, " | ") + " |\n";
}

std::string heading(const ComparisonTable& table) {
  std::vector<std::string> names = {
      "phase", table.by == By::kKernel ? "target" : "kernel", "seconds"};
  std::vector<std::string> rules = {"---", "---", "---"};
  const std::vector<std::string> columns = short_columns(table);
  for (size_t i = 0; i < columns.size(); ++i) {
    names.push_back(
        fmt::format("{} ({}, {})", escaped(columns[i]),
                    count_text(table, i, &analysis::Summary::trials, "trial"),
                    count_text(table, i, &analysis::Summary::boots, "boot")));
    rules.emplace_back("---:");
    if (i == 0) continue;
    names.emplace_back("ratio");
    rules.emplace_back("---:");
  }
  return line(names) + line(rules);
}

std::string figure(const std::optional<analysis::Summary>& cell) {
  if (!cell) return thousandths(std::nullopt);
  std::string text = thousandths(cell->median);
  if (cell->spread) text += " ±" + thousandths(cell->spread);
  return text;
}

std::string row_line(const Row& row) {
  std::vector<std::string> cells = {escaped(row.phase), escaped(row.group),
                                    row.label};
  for (size_t i = 0; i < row.cells.size(); ++i) {
    cells.push_back(figure(row.cells[i]));
    if (i > 0) cells.push_back(thousandths(row.ratios[i]));
  }
  return line(cells);
}

}  // namespace

std::string render_markdown(const ComparisonTable& table) {
  std::string text = "**" + escaped(title(table)) + "**\n\n";
  if (!table.differences.empty()) text += "Differs besides the kernel:\n\n";
  for (const analysis::Difference& difference : table.differences) {
    text += fmt::format("- {}: {}\n", escaped(difference.name),
                        escaped(base::join(difference.values, " → ")));
  }
  if (!table.differences.empty()) text += '\n';
  text += heading(table);
  for (const Row& row : table.rows) text += row_line(row);
  if (!table.notes.empty()) text += '\n';
  for (const std::string& note : table.notes) {
    text += "- " + escaped(note) + '\n';
  }
  return text;
}

}  // namespace sidegrade::report
