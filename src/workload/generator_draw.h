#pragma once

#include <cstdint>
#include <string_view>

namespace sidegrade::workload {

/// Spreads each input bit over all output bits: the finaliser of splitmix64
/// (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
constexpr uint64_t mix(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

/// A key for a name (FNV-1a, 64 bits).
constexpr uint64_t hash_name(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

/// The random numbers of one cell: a function of its column's key and its row,
/// so that no cell depends on what was drawn before it.
class Draw {
 public:
  Draw(uint64_t key, uint64_t row) : state_(mix(key + row * kStep)) {}

  uint64_t next() { return mix(state_ += kStep); }
  uint64_t next_32() { return next() >> 32; }
  /// Uniform in [0, bound); the bound is at most 2^32.
  uint64_t below(uint64_t bound) { return (next_32() * bound) >> 32; }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15;

  uint64_t state_;
};

}  // namespace sidegrade::workload
