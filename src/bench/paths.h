#pragma once

#include <filesystem>

namespace sidegrade::bench {

/// The folders that the tool works with, apart from the targets.
struct Paths {
  std::filesystem::path results;  ///< where runs are kept
  std::filesystem::path state;    ///< restore journals
  std::filesystem::path cache;    ///< generated data
  std::filesystem::path schemas;  ///< the shipped schemas
  /// Short-lived: mount points, sockets and server logs. A short path, since a
  /// socket's may have 107 bytes.
  std::filesystem::path runtime = "/tmp";
};

}  // namespace sidegrade::bench
