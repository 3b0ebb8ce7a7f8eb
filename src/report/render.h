#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/comparison.h"
#include "store/store.h"

namespace sidegrade::report {

enum class Format { kText, kMarkdown, kCsv, kJson };

/// The format of the name "text", "md", "csv" or "json". Throws Error, with the
/// nearest name, for another.
Format format_named(std::string_view name);

inline constexpr size_t kDefaultWidth = 80;

/// The comparison, ending in a newline. `width` is in columns of a terminal and
/// concerns text only; a table that can't be made so narrow is wider. The csv
/// and json forms are described in docs/results-format.md.
std::string render(const ComparisonTable& table, Format format,
                   size_t width = kDefaultWidth);

/// The runs of a history, oldest first, as text or json. Throws Error for
/// another format.
std::string render_list(const store::History& history, Format format,
                        size_t width = kDefaultWidth);

}  // namespace sidegrade::report
