#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "postgres/script_outline.h"
#include "workload/generator.h"
#include "workload/spec.h"

namespace sidegrade::workload {

/// One SQL file that every trial imports, as it was when the run began.
struct InputFile {
  std::string role;  ///< "schema" or "data"
  std::filesystem::path path;
  uint64_t bytes = 0;
  std::string sha256;
  postgres::ScriptOutline outline;  ///< empty for psql, which reads on its own
};

struct Inputs {
  std::vector<InputFile> files;  ///< in the order in which they are executed
  /// Rows that each table must hold after the import, by schema.table: known of
  /// generated data, else empty.
  std::map<std::string, int64_t> expected_rows;

  uint64_t bytes() const;
};

/// A shipped schema: its folder and the settings of its generator.
struct ShippedSchema {
  std::filesystem::path directory;
  GeneratorSpec generator;
};

/// Where generated data of this spec lie in the cache, whether made already or
/// not. The name holds a hash of all that decides the bytes.
std::filesystem::path generated_file(const GenerateSpec& spec,
                                     const ShippedSchema& schema,
                                     const std::filesystem::path& cache);

/// Makes the inputs ready, outside any trial: generates the data into `cache`
/// unless they are there, then hashes and outlines each file. `schema` goes
/// with spec.generate. Throws Error for whatever would trip a trial,
/// Interrupted.
Inputs prepare_inputs(const WorkloadSpec& spec,
                      const std::optional<ShippedSchema>& schema,
                      const std::filesystem::path& cache,
                      const base::Interrupt& interrupt);

/// Reads each file anew (which also puts it into the page cache, for every
/// trial alike). Throws Error naming the file whose bytes are no longer those
/// of the run's beginning.
void check_unchanged(const Inputs& inputs);

}  // namespace sidegrade::workload
