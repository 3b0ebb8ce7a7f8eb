#include "workload/inputs.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "workload/archive.h"
#include "workload/cache.h"
#include "workload/unpack.h"

namespace sidegrade::workload {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchemaRole = "schema";
constexpr const char* kDataRole = "data";
constexpr const char* kTables = "tables.sql";
constexpr const char* kConstraints = "constraints.sql";
constexpr const char* kGenerator = "generator.yaml";
/// Raised whenever the generator's code would give other bytes for the same
/// settings.
constexpr int kGeneratorVersion = 1;

void generate_into_cache(const GenerateSpec& spec, const ShippedSchema& schema,
                         const fs::path& file,
                         const base::Interrupt& interrupt) {
  make_cache(file.parent_path());
  const std::string trailer = base::read_file(schema.directory / kConstraints);
  base::AtomicFile data(file);
  generate_data(schema.generator, spec.scale, spec.seed, trailer,
                [&](std::string_view piece) {
                  interrupt.check();
                  data.write(piece);
                });
  data.commit();
  note_whole(file);
}

/// Adds the files of a workload one after another.
class Collector {
 public:
  Collector(Client client, const postgres::Installation& installation,
            const fs::path& cache, const base::Interrupt& interrupt)
      : client_(client),
        installation_(installation),
        cache_(cache),
        interrupt_(interrupt) {}

  void add(const std::string& role, const fs::path& source) {
    const fs::path plain =
        is_compressed(source) ? unpack(source, cache_, interrupt_) : source;
    const bool is_schema = role.starts_with(kSchemaRole);
    const auto schema_only =
        is_schema ? std::optional(PhaseKind::kSchema) : std::nullopt;
    if (!is_archive(plain)) {
      add_file({role, source, plain, schema_only});
      return;
    }
    for (const ArchiveSection& section :
         restore_sections(plain, installation_, cache_, interrupt_)) {
      add_file({role + "." + section.name, source, section.file,
                schema_only.value_or(section.phase)});
    }
  }

  /// The second source of a role is called "data.2", and so on.
  void add_all(const std::string& role, const std::vector<fs::path>& sources) {
    for (size_t i = 0; i < sources.size(); ++i) {
      add(i == 0 ? role : fmt::format("{}.{}", role, i + 1), sources[i]);
    }
  }

  void move_to(Inputs& inputs) {
    inputs.files = std::move(files_);
    inputs.needs = needs_.needs();
  }

 private:
  void add_file(InputFile file) {
    interrupt_.check();
    file.bytes = fs::file_size(file.path);
    file.sha256 = base::sha256_of_file(file.path);
    if (client_ == Client::kNative) outline(file);
    files_.push_back(std::move(file));
  }

  void outline(InputFile& file) {
    file.outline =
        script::read_outline({file.path, file.source.parent_path()}, needs_);
    for (const fs::path& path : file.outline.other_files) {
      const size_t number = file.other_files.size() + 1;
      file.other_files.push_back({fmt::format("{}.file-{}", file.role, number),
                                  path, base::sha256_of_file(path)});
      file.bytes += fs::file_size(path);
    }
  }

  Client client_;
  const postgres::Installation& installation_;
  const fs::path& cache_;
  const base::Interrupt& interrupt_;
  std::vector<InputFile> files_;
  script::NeedsCollector needs_;
};

/// psql's transactions end with each of its runs, and one run reads one file.
void check_single_transaction(const WorkloadSpec& spec, const Inputs& inputs) {
  const bool possible = !spec.single_transaction ||
                        spec.client == Client::kNative ||
                        inputs.files.size() == 1;
  if (possible) return;
  throw base::Error(
      fmt::format("the inputs ({} and on) become {} files, which psql can't "
                  "execute in a single transaction",
                  inputs.files.front().source.string(), inputs.files.size()),
      "Leave client: psql or single_transaction out.");
}

void check_unchanged(const fs::path& path, const std::string& sha256) {
  if (base::sha256_of_file(path) == sha256) return;
  throw base::Error(
      fmt::format("{} is no longer the file that the run began with",
                  path.string()),
      "Leave the inputs alone while a run goes on; begin the run again.");
}

}  // namespace

uint64_t Inputs::bytes() const {
  uint64_t sum = 0;
  for (const InputFile& file : files) sum += file.bytes;
  return sum;
}

fs::path tables_file(const ShippedSchema& schema) {
  return schema.directory / kTables;
}

fs::path generated_file(const GenerateSpec& spec, const ShippedSchema& schema,
                        const fs::path& cache) {
  const std::string settings =
      base::read_file(schema.directory / kGenerator) +
      base::read_file(schema.directory / kConstraints) +
      fmt::format("version {}", kGeneratorVersion);
  return cache / fmt::format("{}-scale{}-seed{}-{}.sql", spec.schema,
                             spec.scale, spec.seed,
                             base::sha256_of_text(settings).substr(0, 12));
}

bool is_plain(const fs::path& source) {
  return !is_compressed(source) && !is_archive(source);
}

std::vector<fs::path> planned_files(const fs::path& source,
                                    const postgres::Installation& installation,
                                    const fs::path& cache) {
  const fs::path plain =
      is_compressed(source) ? unpacked_file(source, cache) : source;
  if (!fs::exists(plain) || !is_archive(plain)) return {plain};
  std::vector<fs::path> files;
  for (const ArchiveSection& section :
       archive_sections(plain, installation, cache)) {
    files.push_back(section.file);
  }
  return files;
}

Inputs prepare_inputs(const WorkloadSpec& spec,
                      const std::optional<ShippedSchema>& schema,
                      const postgres::Installation& installation,
                      const fs::path& cache, const base::Interrupt& interrupt) {
  Inputs inputs;
  Collector files(spec.client, installation, cache, interrupt);
  if (spec.generate) {
    const fs::path data = generated_file(*spec.generate, *schema, cache);
    if (!is_whole(data)) {
      generate_into_cache(*spec.generate, *schema, data, interrupt);
    }
    inputs.expected_rows = row_counts(schema->generator, spec.generate->scale);
    files.add(kSchemaRole, tables_file(*schema));
    files.add(kDataRole, data);
  } else {
    files.add_all(kSchemaRole, spec.schema);
    files.add_all(kDataRole, spec.data);
  }
  files.move_to(inputs);
  check_single_transaction(spec, inputs);
  return inputs;
}

std::map<std::string, std::string> hashes_of(const Inputs& inputs) {
  std::map<std::string, std::string> hashes;
  for (const InputFile& file : inputs.files) {
    hashes[file.role] = file.sha256;
    for (const OtherFile& other : file.other_files) {
      hashes[other.role] = other.sha256;
    }
  }
  return hashes;
}

void check_unchanged(const Inputs& inputs) {
  for (const InputFile& file : inputs.files) {
    check_unchanged(file.path, file.sha256);
    for (const OtherFile& other : file.other_files) {
      check_unchanged(other.path, other.sha256);
    }
  }
}

}  // namespace sidegrade::workload
