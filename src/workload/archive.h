#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "postgres/installation.h"
#include "workload/spec.h"

namespace sidegrade::workload {

/// One section of pg_dump's archive, as SQL.
struct ArchiveSection {
  std::string name;  ///< "pre-data", "data", "post-data"
  PhaseKind phase = PhaseKind::kImport;
  std::filesystem::path file;  ///< in the cache
};

/// Whether this is an archive of pg_dump: a file of its custom or tar format,
/// or a folder of its directory format.
bool is_archive(const std::filesystem::path& source);

/// The three sections of an archive in their order, whether their files have
/// been made already or not.
std::vector<ArchiveSection> archive_sections(
    const std::filesystem::path& source,
    const postgres::Installation& installation,
    const std::filesystem::path& cache);

/// Has pg_restore write those sections that the cache does not hold whole.
/// Throws Error with pg_restore's words if it can't read the archive, or
/// Interrupted; then the cache holds no part of a section.
std::vector<ArchiveSection> restore_sections(
    const std::filesystem::path& source,
    const postgres::Installation& installation,
    const std::filesystem::path& cache, const base::Interrupt& interrupt);

}  // namespace sidegrade::workload
