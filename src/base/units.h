#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace sidegrade::base {

/// Bytes from text such as "512 MiB", "1.5GB", "4096": SI units are powers of
/// 1000, IEC units (KiB, MiB, GiB, TiB) powers of 1024, none is bytes.
/// Throws Error with a sentence that begins with the text in quotes.
uint64_t parse_bytes(std::string_view text);

/// A duration from text such as "10s", "250 ms", "2 min", "1h"; a bare "0" is
/// zero, any other number needs its unit. Throws Error as parse_bytes does.
std::chrono::milliseconds parse_duration(std::string_view text);

/// Bytes in SI units with three significant digits: "0 B", "4.10 GB".
std::string format_bytes(double bytes);

/// A span of time for people: "0.21 s", "43.0 s", "12:41", "1:02:03".
std::string format_duration(double seconds);

}  // namespace sidegrade::base
