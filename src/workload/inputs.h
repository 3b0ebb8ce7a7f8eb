#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "postgres/installation.h"
#include "script/outline.h"
#include "workload/generator.h"
#include "workload/spec.h"

namespace sidegrade::workload {

/// A file that a script reads besides itself, by \i or \copy.
struct OtherFile {
  std::string role;  ///< "data.file-1": the first that the script "data" reads
  std::filesystem::path path;
  std::string sha256;
};

/// One SQL file that every trial imports, as it was when the run began.
struct InputFile {
  /// "schema", "data", the second of them "data.2", a section of an archive
  /// "data.pre-data": unique in a run.
  std::string role;
  std::filesystem::path source;  ///< as the scenario names it
  std::filesystem::path path;    ///< the SQL: the source, or made of it
  /// The phase to which all of it belongs: set of schema files and of an
  /// archive's sections, else its outline says.
  std::optional<PhaseKind> phase;
  uint64_t bytes = 0;
  std::string sha256;
  /// These two are empty for psql, which reads on its own.
  script::Outline outline;
  std::vector<OtherFile> other_files;
};

struct Inputs {
  std::vector<InputFile> files;     ///< in the order in which they are executed
  std::vector<script::Need> needs;  ///< of all files, from outside them
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

/// The file that creates the tables of a shipped schema.
std::filesystem::path tables_file(const ShippedSchema& schema);

/// Where generated data of this spec lie in the cache, whether made already or
/// not. The name holds a hash of all that decides the bytes.
std::filesystem::path generated_file(const GenerateSpec& spec,
                                     const ShippedSchema& schema,
                                     const std::filesystem::path& cache);

/// Whether trials execute this file itself: it is neither compressed nor an
/// archive of pg_dump.
bool is_plain(const std::filesystem::path& source);

/// The files that trials will execute for an input, whether they have been made
/// already or not: itself, or those in the cache. A compressed archive counts
/// as compressed text until it has been decompressed. Hashes the source.
std::vector<std::filesystem::path> planned_files(
    const std::filesystem::path& source,
    const postgres::Installation& installation,
    const std::filesystem::path& cache);

/// Makes the inputs ready, outside any trial: generates, decompresses and turns
/// archives into SQL (into the cache, unless they are there whole), then hashes
/// and outlines each file. `schema` goes with spec.generate. Throws Error for
/// whatever would trip a trial, Interrupted.
Inputs prepare_inputs(const WorkloadSpec& spec,
                      const std::optional<ShippedSchema>& schema,
                      const postgres::Installation& installation,
                      const std::filesystem::path& cache,
                      const base::Interrupt& interrupt);

/// The hash of each file that decides what is imported, by its role.
std::map<std::string, std::string> hashes_of(const Inputs& inputs);

/// Reads each file anew (which also puts it into the page cache, for every
/// trial alike). Throws Error naming the file whose bytes are no longer those
/// of the run's beginning.
void check_unchanged(const Inputs& inputs);

}  // namespace sidegrade::workload
