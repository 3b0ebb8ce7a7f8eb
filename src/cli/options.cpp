#include "cli/options.h"

#include <cstdlib>

#include "base/user.h"

namespace sidegrade::cli {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* name, const fs::path& otherwise) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr && *value != '\0' ? fs::path(value) : otherwise;
}

/// The first folder above the program that holds `schemas`: the checkout it was
/// built in, or else where `cmake --install` put it.
fs::path find_schemas() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (fs::path folder = program.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    for (const char* place : {"share/sidegrade/schemas", "schemas"}) {
      if (fs::is_directory(folder / place)) return folder / place;
    }
  }
  return "schemas";
}

}  // namespace

bench::Paths default_paths() {
  bench::Paths paths;
  paths.results = "results";
  paths.schemas = find_schemas();
  if (base::running_as_root()) {
    paths.state = "/var/lib/sidegrade";
    paths.cache = "/var/cache/sidegrade";
    return paths;
  }
  const fs::path home = from_environment("HOME", base::current_user().home);
  paths.state =
      from_environment("XDG_STATE_HOME", home / ".local/state") / "sidegrade";
  paths.cache =
      from_environment("XDG_CACHE_HOME", home / ".cache") / "sidegrade";
  return paths;
}

}  // namespace sidegrade::cli
