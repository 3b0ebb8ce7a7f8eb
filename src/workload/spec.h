#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "postgres/on_error.h"

namespace sidegrade::workload {

/// The timed steps of one trial, in the order in which they may be asked for.
enum class PhaseKind {
  kCreateDatabase,
  kSchema,
  kImport,
  kIndex,
  kAnalyze,
  kCheckpoint,
  kDropDatabase,
};

/// "create_database", "schema", … as scenarios and records spell them.
std::string to_string(PhaseKind kind);
std::optional<PhaseKind> phase_kind_from(const std::string& name);
const std::vector<PhaseKind>& all_phases();

/// Who reads the SQL files: our own client, or the real psql.
enum class Client { kNative, kPsql };

using postgres::OnError;

/// A shipped schema and how much of its data to make.
struct GenerateSpec {
  std::string schema;  ///< a folder of schemas/
  double scale = 1;    ///< rows grow in proportion
  uint64_t seed = 1;   ///< same seed, same bytes
};

struct WorkloadSpec {
  /// Inputs in the order in which they are executed, absolute: SQL files, plain
  /// or compressed, and pg_dump's archives.
  std::vector<std::filesystem::path> schema;
  std::vector<std::filesystem::path> data;
  std::optional<GenerateSpec> generate;  ///< instead of the two above
  std::vector<PhaseKind> phases = all_phases();
  Client client = Client::kNative;
  OnError on_error = OnError::kStop;
  /// One transaction from the first script to the last.
  bool single_transaction = false;
  /// INSERTs inside a transaction don't wait for each answer; false with psql.
  bool pipeline = true;
  int jobs = 1;  ///< connections for COPY blocks, indexes and constraints
  bool split_tables = false;  ///< one table's rows over several connections
  bool create_roles = false;  ///< make roles that the scripts name but don't
  std::optional<std::chrono::milliseconds> timeout;  ///< of each phase
  /// Tables whose contents differ from trial to trial by their nature (now(),
  /// random()): only their rows are counted.
  std::vector<std::string> volatile_tables;
};

}  // namespace sidegrade::workload
