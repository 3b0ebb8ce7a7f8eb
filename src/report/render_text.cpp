#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/layout.h"
#include "report/renderers.h"

namespace sidegrade::report {
namespace {

constexpr size_t kIndent = 2;

/// Whether phase and group stand beside the figures, or above them where that
/// is too wide.
enum class Heads { kBeside, kAbove };

TableCell left(std::string text) { return {std::move(text), Align::kLeft}; }
TableCell right(std::string text) { return {std::move(text), Align::kRight}; }

/// The figures of one column as text of equal width: medians and spreads have
/// their decimal points below one another.
std::vector<std::string> figures(const ComparisonTable& table, size_t column) {
  size_t widest = 0;
  std::vector<std::string> spreads;
  for (const Row& row : table.rows) {
    const auto& cell = row.cells[column];
    spreads.push_back(cell && cell->spread ? "±" + thousandths(cell->spread)
                                           : "");
    widest = std::max(widest, width_of(spreads.back()));
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const auto& cell = table.rows[i].cells[column];
    std::string text =
        thousandths(cell ? std::optional(cell->median) : std::nullopt);
    if (widest > 0) text += ' ' + pad(spreads[i], widest, Align::kRight);
    texts.push_back(std::move(text));
  }
  return texts;
}

/// Cells before the figures: phase, group (where there are several), measure.
size_t head_cells(const ComparisonTable& table, Heads heads) {
  if (heads == Heads::kAbove) return 1;
  return has_one_group(table) ? 2 : 3;
}

/// The heading's lines: names, trials, boots.
std::vector<TableLine> heading(const ComparisonTable& table, Heads heads) {
  std::vector<TableLine> lines(3);
  for (TableLine& line : lines) {
    line.resize(head_cells(table, heads), left(""));
  }
  const std::vector<std::string> names = short_columns(table);
  for (size_t i = 0; i < names.size(); ++i) {
    lines[0].push_back(right(names[i]));
    lines[1].push_back(
        right(count_text(table, i, &analysis::Summary::trials, "trial")));
    lines[2].push_back(
        right(count_text(table, i, &analysis::Summary::boots, "boot")));
    if (i == 0) continue;
    lines[0].push_back(right("ratio"));
    lines[1].push_back(right(""));
    lines[2].push_back(right(""));
  }
  return lines;
}

/// Phase and group are written once, where they begin.
TableLine row_heads(const ComparisonTable& table, size_t row, Heads heads) {
  const Row& now = table.rows[row];
  if (heads == Heads::kAbove)
    return {left(std::string(kIndent, ' ') + now.label)};
  const Row* before = row > 0 ? &table.rows[row - 1] : nullptr;
  const bool new_phase = before == nullptr || before->phase != now.phase;
  const bool new_group = new_phase || before->group != now.group;
  const TableCell phase = left(new_phase ? now.phase : "");
  if (has_one_group(table)) return {phase, left(now.label)};
  return {phase, left(new_group ? now.group : ""), left(now.label)};
}

/// The heading's three lines and one line a row.
std::vector<std::string> table_lines(const ComparisonTable& table,
                                     Heads heads) {
  std::vector<TableLine> lines = heading(table, heads);
  std::vector<std::vector<std::string>> columns;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    columns.push_back(figures(table, i));
  }
  for (size_t row = 0; row < table.rows.size(); ++row) {
    TableLine line = row_heads(table, row, heads);
    for (size_t i = 0; i < columns.size(); ++i) {
      line.push_back(right(columns[i][row]));
      if (i == 0) continue;
      line.push_back(right(thousandths(table.rows[row].ratios[i])));
    }
    lines.push_back(std::move(line));
  }
  return align_lines(lines);
}

size_t widest_of(const std::vector<std::string>& lines) {
  size_t widest = 0;
  for (const std::string& line : lines) {
    widest = std::max(widest, width_of(line));
  }
  return widest;
}

/// "import · xfs" above the rows of each phase and group.
std::vector<std::string> with_heads_above(
    const ComparisonTable& table, const std::vector<std::string>& lines) {
  const size_t heading_lines = lines.size() - table.rows.size();
  std::vector<std::string> result(
      lines.begin(),
      lines.begin() + static_cast<std::ptrdiff_t>(heading_lines));
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    if (i == 0 || table.rows[i - 1].phase != row.phase ||
        table.rows[i - 1].group != row.group) {
      result.push_back(has_one_group(table)
                           ? row.phase
                           : fmt::format("{} · {}", row.phase, row.group));
    }
    result.push_back(lines[heading_lines + i]);
  }
  return result;
}

std::string table_text(const ComparisonTable& table, size_t width) {
  constexpr size_t kHeadingLines = 3;
  constexpr std::string_view kUnit = "seconds, median of boots";
  std::vector<std::string> lines = table_lines(table, Heads::kBeside);
  if (widest_of(lines) + kIndent > width) {
    lines = with_heads_above(table, table_lines(table, Heads::kAbove));
  }
  // The unit stands in the blank corner if it is large enough.
  const bool fits = lines[0].find_first_not_of(' ') > kUnit.size() + 1;
  if (fits) lines[0].replace(0, kUnit.size(), kUnit);
  std::string rule;
  for (size_t i = 0; i < widest_of(lines); ++i) rule += "─";
  lines.insert(lines.begin() + kHeadingLines, rule);
  lines.push_back(rule);
  if (!fits) lines.insert(lines.begin(), std::string(kUnit));
  std::string text;
  for (const std::string& line : lines) {
    text += std::string(kIndent, ' ') + line + '\n';
  }
  return text;
}

std::string differences_text(const ComparisonTable& table, size_t width) {
  if (table.differences.empty()) return "";
  std::string text = "  differs besides the kernel:\n";
  for (const analysis::Difference& difference : table.differences) {
    text += wrap(fmt::format("{}: {}", difference.name,
                             base::join(difference.values, " → ")),
                 width - 2 * kIndent, 2 * kIndent)
                .insert(0, 2 * kIndent, ' ') +
            '\n';
  }
  return text + '\n';
}

}  // namespace

std::string render_text(const ComparisonTable& table, size_t width) {
  std::string text = title(table) + "\n\n" + differences_text(table, width);
  if (table.rows.empty()) {
    text += "  No trial that counts has measured anything.\n";
  } else {
    text += table_text(table, width);
  }
  for (const std::string& note : table.notes) {
    text += std::string(kIndent, ' ') +
            wrap("· " + note, width - kIndent, 2 * kIndent) + '\n';
  }
  return text;
}

}  // namespace sidegrade::report
