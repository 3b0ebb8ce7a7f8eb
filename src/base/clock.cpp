#include "base/clock.h"

#include <fmt/chrono.h>

namespace sidegrade::base {
namespace {

std::string utc(std::chrono::system_clock::time_point time,
                const char* layout) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  return fmt::format(fmt::runtime(layout), fmt::gmtime(seconds));
}

}  // namespace

double monotonic_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string utc_timestamp(std::chrono::system_clock::time_point time) {
  return utc(time, "{:%Y-%m-%dT%H:%M:%SZ}");
}

std::string compact_timestamp(std::chrono::system_clock::time_point time) {
  return utc(time, "{:%Y%m%dT%H%M%SZ}");
}

}  // namespace sidegrade::base
