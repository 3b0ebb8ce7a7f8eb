#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/comparison.h"

namespace sidegrade::report {

std::string render_text(const ComparisonTable& table, size_t width);
std::string render_markdown(const ComparisonTable& table);
std::string render_csv(const ComparisonTable& table);
std::string render_json(const ComparisonTable& table);

/// The kernels without the ending that all have in common ("-amd64"), as long
/// as each keeps a name of its own; targets stay as they are.
std::vector<std::string> short_columns(const ComparisonTable& table);

/// Then the title names it, and no row need.
bool has_one_group(const ComparisonTable& table);

/// "schema-and-import · 2 kernels × 2 targets · host db-lab-3"
std::string title(const ComparisonTable& table);

/// "25 trials" for people; "24–25 trials" if the column's cells differ.
std::string count_text(const ComparisonTable& table, size_t column,
                       size_t analysis::Summary::*count,
                       const std::string& unit);

/// Seconds and ratios to the thousandth; a dash for nothing.
std::string thousandths(std::optional<double> value);

}  // namespace sidegrade::report
