#pragma once

#include <cstdint>
#include <vector>

#include "base/process.h"
#include "postgres/connection.h"

namespace sidegrade::postgres {

/// What one of several connections did.
struct JobWork {
  double busy_s = 0;  ///< from a statement's sending to its last answer
  base::ResourceUsage usage;
  uint64_t statements = 0;
};

/// What executing a part of a script did.
struct ScriptWork {
  uint64_t statements = 0;
  uint64_t rows = 0;        ///< of COPY and INSERT, as the server counted them
  uint64_t copy_bytes = 0;  ///< COPY data sent
  uint64_t script_bytes = 0;
  uint64_t errors = 0;        ///< passed over, with OnError::kContinue
  ServerMessages messages;    ///< the server's, and the errors passed over
  std::vector<JobWork> jobs;  ///< with more than one connection

  /// Adds what another connection, or a further part, did.
  void add(const ScriptWork& other);
};

}  // namespace sidegrade::postgres
