#pragma once

#include <chrono>
#include <string>

namespace sidegrade::base {

/// Seconds on the monotonic clock; only differences mean anything.
double monotonic_seconds();

/// The time of day as `2026-11-30T16:36:58Z` (UTC).
std::string utc_timestamp(std::chrono::system_clock::time_point time);

/// The time of day as a sortable file name part, `20261130T163658Z`.
std::string compact_timestamp(std::chrono::system_clock::time_point time);

}  // namespace sidegrade::base
