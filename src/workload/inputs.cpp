#include "workload/inputs.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"

namespace sidegrade::workload {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTables = "tables.sql";
constexpr const char* kConstraints = "constraints.sql";
constexpr const char* kGenerator = "generator.yaml";
/// Raised whenever the generator's code would give other bytes for the same
/// settings.
constexpr int kGeneratorVersion = 1;

/// A cached file whose hash was written beside it is whole.
bool is_whole(const fs::path& file) {
  const auto noted = base::try_read_file(file.string() + ".sha256");
  return noted && fs::exists(file) && *noted == base::sha256_of_file(file);
}

void generate_into_cache(const GenerateSpec& spec, const ShippedSchema& schema,
                         const fs::path& file,
                         const base::Interrupt& interrupt) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  const std::string trailer = base::read_file(schema.directory / kConstraints);
  base::AtomicFile data(file);
  generate_data(schema.generator, spec.scale, spec.seed, trailer,
                [&](std::string_view piece) {
                  interrupt.check();
                  data.write(piece);
                });
  data.commit();
  base::AtomicFile hash(file.string() + ".sha256");
  hash.write(base::sha256_of_file(file));
  hash.commit();
}

InputFile read_input(const std::string& role, const fs::path& path,
                     Client client) {
  InputFile input{.role = role, .path = path, .bytes = fs::file_size(path)};
  input.sha256 = base::sha256_of_file(path);
  if (client == Client::kNative) input.outline = postgres::outline_script(path);
  return input;
}

}  // namespace

uint64_t Inputs::bytes() const {
  uint64_t sum = 0;
  for (const InputFile& file : files) sum += file.bytes;
  return sum;
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

Inputs prepare_inputs(const WorkloadSpec& spec,
                      const std::optional<ShippedSchema>& schema,
                      const fs::path& cache, const base::Interrupt& interrupt) {
  Inputs inputs;
  if (spec.generate) {
    const fs::path data = generated_file(*spec.generate, *schema, cache);
    if (!is_whole(data)) {
      generate_into_cache(*spec.generate, *schema, data, interrupt);
    }
    inputs.expected_rows = row_counts(schema->generator, spec.generate->scale);
    inputs.files.push_back(
        read_input("schema", schema->directory / kTables, spec.client));
    inputs.files.push_back(read_input("data", data, spec.client));
    return inputs;
  }
  if (spec.schema) {
    inputs.files.push_back(read_input("schema", *spec.schema, spec.client));
  }
  inputs.files.push_back(read_input("data", *spec.data, spec.client));
  return inputs;
}

void check_unchanged(const Inputs& inputs) {
  for (const InputFile& file : inputs.files) {
    if (base::sha256_of_file(file.path) == file.sha256) continue;
    throw base::Error(
        fmt::format("{} is no longer the file that the run began with",
                    file.path.string()),
        "Leave the inputs alone while a run goes on; begin the run again.");
  }
}

}  // namespace sidegrade::workload
