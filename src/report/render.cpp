#include "report/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "report/renderers.h"

namespace sidegrade::report {
namespace {

std::string counted(size_t count, const std::string& unit) {
  return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s");
}

/// Without its last part, hyphen included; nothing if it has only one.
std::string_view last_part(std::string_view name) {
  const size_t hyphen = name.rfind('-');
  return hyphen == std::string_view::npos || hyphen == 0 ? std::string_view()
                                                         : name.substr(hyphen);
}

}  // namespace

Format format_named(std::string_view name) {
  if (name == "text") return Format::kText;
  if (name == "md") return Format::kMarkdown;
  if (name == "csv") return Format::kCsv;
  if (name == "json") return Format::kJson;
  throw base::Error(
      fmt::format("there is no format \"{}\"{}", name,
                  base::did_you_mean(name, {"text", "md", "csv", "json"})),
      "The formats are text, md, csv and json.");
}

std::string render(const ComparisonTable& table, Format format, size_t width) {
  switch (format) {
    case Format::kMarkdown:
      return render_markdown(table);
    case Format::kCsv:
      return render_csv(table);
    case Format::kJson:
      return render_json(table);
    case Format::kText:
      break;
  }
  return render_text(table, width);
}

std::vector<std::string> short_columns(const ComparisonTable& table) {
  if (table.by != By::kKernel || table.columns.size() < 2) return table.columns;
  const std::string ending(last_part(table.columns.front()));
  std::set<std::string> shortened;
  std::vector<std::string> names = table.columns;
  for (std::string& name : names) {
    if (ending.empty() || last_part(name) != ending) return table.columns;
    name.resize(name.size() - ending.size());
    shortened.insert(name);
  }
  return shortened.size() == names.size() ? names : table.columns;
}

bool has_one_group(const ComparisonTable& table) {
  return table.groups.size() == 1;
}

std::string title(const ComparisonTable& table) {
  const bool by_kernel = table.by == By::kKernel;
  const std::string columns =
      counted(table.columns.size(), by_kernel ? "kernel" : "target");
  const std::string groups =
      has_one_group(table)
          ? (by_kernel ? " on " : " under ") + table.groups.front()
          : " × " +
                counted(table.groups.size(), by_kernel ? "target" : "kernel");
  return fmt::format("{} · {}{} · host {}", table.scenario, columns, groups,
                     table.host);
}

std::string count_text(const ComparisonTable& table, size_t column,
                       size_t analysis::Summary::*count,
                       const std::string& unit) {
  size_t least = SIZE_MAX;
  size_t most = 0;
  for (const Row& row : table.rows) {
    if (!row.cells[column]) continue;
    least = std::min(least, *row.cells[column].*count);
    most = std::max(most, *row.cells[column].*count);
  }
  if (least >= most) return counted(most, unit);
  return fmt::format("{}–{} {}s", least, most, unit);
}

std::string thousandths(std::optional<double> value) {
  return value ? fmt::format("{:.3f}", *value) : "–";
}

}  // namespace sidegrade::report
