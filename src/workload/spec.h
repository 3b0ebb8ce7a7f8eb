#pragma once

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
  std::optional<std::filesystem::path> schema;  ///< SQL file, absolute
  std::optional<std::filesystem::path> data;    ///< SQL file, absolute
  std::optional<GenerateSpec> generate;         ///< instead of the two above
  std::vector<PhaseKind> phases = all_phases();
  Client client = Client::kNative;
  OnError on_error = OnError::kStop;
  /// Tables whose contents differ from trial to trial by their nature (now(),
  /// random()): only their rows are counted.
  std::vector<std::string> volatile_tables;
};

}  // namespace sidegrade::workload
