#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/environment.h"
#include "analysis/series.h"
#include "store/store.h"

namespace sidegrade::report {

/// What the columns are.
enum class By { kKernel, kTarget };

/// One time of one phase in each column.
struct Row {
  std::string phase;
  std::string group;  ///< the target; by target: the kernel
  std::string measure;
  std::string label;  ///< the measure for people
  std::vector<std::optional<analysis::Summary>> cells;  ///< one a column
  /// Each column's median over the first's; nothing in the first, nor where a
  /// median is missing or the first's is under 5 ms.
  std::vector<std::optional<double>> ratios;
};

/// The comparison as data, before anyone lays it out. Times are in seconds.
struct ComparisonTable {
  std::string scenario;
  std::string host;
  By by = By::kKernel;
  std::vector<std::string> columns;               ///< kernels or targets
  std::vector<std::string> groups;                ///< the others
  std::vector<Row> rows;                          ///< by phase, group, measure
  std::vector<analysis::Difference> differences;  ///< a value for each kernel
  std::vector<std::string> notes;                 ///< whole sentences
};

/// Times only are needed: a history loaded with Detail::kTimes will do. Throws
/// Error if the selection fits nothing.
ComparisonTable build_table(const store::History& history,
                            const analysis::Selection& selection, By by);

}  // namespace sidegrade::report
