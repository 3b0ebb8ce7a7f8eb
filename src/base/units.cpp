#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"

namespace sidegrade::base {
namespace {

struct Quantity {
  double number;
  std::string_view unit;
};

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kByteUnits = {
    Unit{"", 1},         Unit{"B", 1},        Unit{"kB", 1e3},
    Unit{"KB", 1e3},     Unit{"MB", 1e6},     Unit{"GB", 1e9},
    Unit{"TB", 1e12},    Unit{"KiB", 1024.0}, Unit{"kiB", 1024.0},
    Unit{"MiB", 0x1p20}, Unit{"GiB", 0x1p30}, Unit{"TiB", 0x1p40},
};

constexpr std::array kTimeUnits = {
    Unit{"ms", 1},     Unit{"s", 1e3},    Unit{"sec", 1e3},
    Unit{"min", 60e3}, Unit{"h", 3600e3},
};

Quantity parse_quantity(std::string_view text, std::string_view expected) {
  text = trim(text);
  double number = 0;
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || !std::isfinite(number)) {
    throw Error(fmt::format("\"{}\" is not {}", text, expected));
  }
  if (number < 0) throw Error(fmt::format("\"{}\" is negative", text));
  const auto length = static_cast<size_t>(end - text.data());
  return {number, trim(text.substr(length))};
}

template <size_t N>
double scaled(std::string_view text, const std::array<Unit, N>& units,
              std::string_view expected) {
  const Quantity quantity = parse_quantity(text, expected);
  for (const Unit& unit : units) {
    if (unit.name == quantity.unit) {
      const double value = quantity.number * unit.factor;
      if (value < 9e18) return value;
      throw Error(fmt::format("\"{}\" is too large", text));
    }
  }
  if (quantity.unit.empty()) {
    throw Error(
        fmt::format("\"{}\" has no unit; {} is expected", text, expected));
  }
  throw Error(fmt::format(R"("{}" has the unknown unit "{}"; {} is expected)",
                          text, quantity.unit, expected));
}

}  // namespace

uint64_t parse_bytes(std::string_view text) {
  return static_cast<uint64_t>(
      std::llround(scaled(text, kByteUnits, "a size such as 512 MiB or 2 GB")));
}

std::chrono::milliseconds parse_duration(std::string_view text) {
  if (trim(text) == "0") return std::chrono::milliseconds(0);
  return std::chrono::milliseconds(std::llround(
      scaled(text, kTimeUnits, "a duration such as 10s or 2 min")));
}

std::string format_bytes(double bytes) {
  constexpr std::array kNames = {"B", "kB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kNames.size()) {
    bytes /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f} B", bytes);
  const int decimals = bytes < 9.995 ? 2 : bytes < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", bytes, decimals, kNames[unit]);
}

std::string format_duration(double seconds) {
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  const int64_t hours = whole / 3600;
  const int64_t minutes = whole / 60 % 60;
  if (hours == 0) return fmt::format("{}:{:02}", minutes, whole % 60);
  return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
}

}  // namespace sidegrade::base
