#include "workload/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "workload/cache.h"

namespace sidegrade::workload {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr size_t kTarBlockBytes = 512;
constexpr size_t kTarMagicOffset = 257;

/// Removes what a failed program left.
struct RemovedAtEnd {
  fs::path file;
  ~RemovedAtEnd() {
    std::error_code ignored;
    fs::remove(file, ignored);
  }
};

/// Newer programs make up a key for \restrict each time, which would give the
/// same archive other bytes.
std::vector<std::string> fixed_key(const fs::path& pg_restore) {
  const std::string help =
      base::run_checked({.argv = {pg_restore.string(), "--help"}});
  if (help.find("--restrict-key") == std::string::npos) return {};
  return {"--restrict-key=sidegrade"};
}

void restore_section(const fs::path& source, const ArchiveSection& section,
                     const fs::path& pg_restore,
                     const base::Interrupt& interrupt) {
  const RemovedAtEnd part{section.file.string() + ".part"};
  base::Command command{.argv = {pg_restore.string(),
                                 "--section=" + section.name,
                                 "--file=" + part.file.string()}};
  for (const std::string& argument : fixed_key(pg_restore)) {
    command.argv.push_back(argument);
  }
  command.argv.push_back(source.string());
  const base::Output output = base::run(
      command,
      {.timeout = std::chrono::hours(24 * 7), .interrupt = &interrupt});
  if (!output.status.success()) {
    throw base::Error(
        fmt::format("{} could not be turned into SQL by {} ({}): {}",
                    source.string(), pg_restore.string(), output.status.text(),
                    base::trim(output.err)),
        "It must be whole, and made by a pg_dump that is no newer; "
        "postgres.bin_dir chooses another version.");
  }
  fs::rename(part.file, section.file);
  note_whole(section.file);
}

}  // namespace

bool is_archive(const fs::path& source) {
  std::error_code ignored;
  if (fs::is_directory(source, ignored)) {
    return fs::exists(source / "toc.dat", ignored) ||
           fs::exists(source / "toc.dat.gz", ignored);
  }
  std::array<char, kTarBlockBytes> bytes{};
  std::ifstream stream(source, std::ios::binary);
  stream.read(bytes.data(), bytes.size());
  const std::string_view begin(bytes.data(), bytes.size());
  return begin.starts_with("PGDMP") ||
         (begin.starts_with("toc.dat\0"sv) &&
          begin.substr(kTarMagicOffset).starts_with("ustar"));
}

std::vector<ArchiveSection> archive_sections(
    const fs::path& source, const postgres::Installation& installation,
    const fs::path& cache) {
  const std::string name =
      cache_name(source, "pg_restore " + installation.version);
  std::vector<ArchiveSection> sections = {{"pre-data", PhaseKind::kSchema, {}},
                                          {"data", PhaseKind::kImport, {}},
                                          {"post-data", PhaseKind::kIndex, {}}};
  for (ArchiveSection& section : sections) {
    section.file = cache / fmt::format("{}.{}.sql", name, section.name);
  }
  return sections;
}

std::vector<ArchiveSection> restore_sections(
    const fs::path& source, const postgres::Installation& installation,
    const fs::path& cache, const base::Interrupt& interrupt) {
  std::vector<ArchiveSection> sections =
      archive_sections(source, installation, cache);
  make_cache(cache);
  // The data first: an archive that was cut fails there, and leaves nothing.
  for (const size_t index : {1U, 0U, 2U}) {
    const ArchiveSection& section = sections[index];
    if (is_whole(section.file)) continue;
    restore_section(source, section, installation.program("pg_restore"),
                    interrupt);
  }
  return sections;
}

}  // namespace sidegrade::workload
