#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/record.h"

namespace sidegrade::bench {

/// Throws Error naming the first table that differs: from `expected_rows` (by
/// schema.table, empty if unknown), or from `reference` (empty if none yet).
void check_contents(const std::vector<store::TableCheck>& tables,
                    const std::map<std::string, int64_t>& expected_rows,
                    const std::vector<store::TableCheck>& reference);

}  // namespace sidegrade::bench
