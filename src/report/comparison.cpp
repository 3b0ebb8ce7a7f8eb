#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace sidegrade::report {
namespace {

using analysis::SeriesTable;

/// Below this a time is a few ticks of the clock that took it, or of the
/// scheduler: its ratio would say nothing.
constexpr double kShortestDividedS = 0.005;

std::vector<std::optional<double>> ratios_of(
    const std::vector<std::optional<analysis::Summary>>& cells) {
  std::vector<std::optional<double>> ratios(cells.size());
  for (size_t i = 1; i < cells.size(); ++i) {
    if (cells[0] && cells[i] && cells[0]->median >= kShortestDividedS) {
      ratios[i] = cells[i]->median / cells[0]->median;
    }
  }
  return ratios;
}

/// The rows of one phase and group, for the measures that have a value.
void add_rows(const SeriesTable& series, size_t phase, size_t group,
              ComparisonTable& table) {
  for (size_t measure = 0; measure < series.measures.size(); ++measure) {
    Row row{series.phases[phase],
            table.groups[group],
            series.measures[measure].name,
            series.measures[measure].label,
            {},
            {}};
    for (size_t column = 0; column < table.columns.size(); ++column) {
      const analysis::Place place = table.by == By::kKernel
                                        ? analysis::Place{column, group, phase}
                                        : analysis::Place{group, column, phase};
      row.cells.push_back(summarise(series.at(place, measure)));
    }
    const bool measured =
        std::any_of(row.cells.begin(), row.cells.end(),
                    [](const auto& cell) { return cell.has_value(); });
    if (!measured) continue;
    row.ratios = ratios_of(row.cells);
    table.rows.push_back(std::move(row));
  }
}

/// The columns in which no cell has more than one boot (or trial).
std::vector<std::string> single_columns(const ComparisonTable& table,
                                        size_t analysis::Summary::*count) {
  std::vector<std::string> single;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const bool all_single =
        std::all_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
          return !row.cells[i] || *row.cells[i].*count <= 1;
        });
    if (all_single) single.push_back(table.columns[i]);
  }
  return single;
}

std::string column_names(const ComparisonTable& table,
                         const std::vector<std::string>& columns) {
  if (columns.size() < table.columns.size()) return base::join(columns, ", ");
  return table.by == By::kKernel ? "each kernel" : "each target";
}

/// What the number of trials and boots does not allow to tell.
void note_replication(ComparisonTable& table) {
  const auto one_trial = single_columns(table, &analysis::Summary::trials);
  const auto one_boot = single_columns(table, &analysis::Summary::boots);
  if (!one_trial.empty()) {
    table.notes.push_back(fmt::format(
        "one trial on one boot of {}: a difference here can be chance",
        column_names(table, one_trial)));
  } else if (!one_boot.empty() && table.by == By::kKernel) {
    table.notes.push_back(fmt::format(
        "one boot of {}: what differs from boot to boot is not in the ± here",
        column_names(table, one_boot)));
  }
}

}  // namespace

ComparisonTable build_table(const store::History& history,
                            const analysis::Selection& selection, By by) {
  const analysis::ComparableRuns runs =
      analysis::select_runs(history, selection);
  SeriesTable series =
      analysis::collect_series(runs, analysis::default_measures());
  ComparisonTable table;
  table.scenario = runs.scenario;
  table.host = runs.host;
  table.by = by;
  table.columns = by == By::kKernel ? series.kernels : series.targets;
  table.groups = by == By::kKernel ? series.targets : series.kernels;
  table.differences = analysis::differences(runs);
  for (size_t phase = 0; phase < series.phases.size(); ++phase) {
    for (size_t group = 0; group < table.groups.size(); ++group) {
      add_rows(series, phase, group, table);
    }
  }
  table.notes = runs.notes;
  table.notes.insert(table.notes.end(), series.notes.begin(),
                     series.notes.end());
  note_replication(table);
  return table;
}

}  // namespace sidegrade::report
