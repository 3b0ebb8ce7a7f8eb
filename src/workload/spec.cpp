#include "workload/spec.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sidegrade::workload {
namespace {

/// In the order of PhaseKind.
constexpr std::array<std::string_view, 7> kPhaseNames = {
    "create_database", "schema",     "import",       "index",
    "analyze",         "checkpoint", "drop_database"};

}  // namespace

std::string to_string(PhaseKind kind) {
  return std::string(kPhaseNames.at(static_cast<size_t>(kind)));
}

std::optional<PhaseKind> phase_kind_from(const std::string& name) {
  const auto* found = std::find(kPhaseNames.begin(), kPhaseNames.end(), name);
  if (found == kPhaseNames.end()) return std::nullopt;
  return static_cast<PhaseKind>(found - kPhaseNames.begin());
}

const std::vector<PhaseKind>& all_phases() {
  static const std::vector<PhaseKind> all = {
      PhaseKind::kCreateDatabase, PhaseKind::kSchema,  PhaseKind::kImport,
      PhaseKind::kIndex,          PhaseKind::kAnalyze, PhaseKind::kCheckpoint,
      PhaseKind::kDropDatabase};
  return all;
}

}  // namespace sidegrade::workload
