#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace sidegrade::postgres {

/// The PostgreSQL programs of one version.
struct Installation {
  std::filesystem::path bin_directory;
  std::string version;  ///< "15.20"

  std::filesystem::path program(const std::string& name) const {
    return bin_directory / name;
  }
};

/// Finds the programs: in `bin_dir`, or, if that is "auto", the newest below
/// /usr/lib/postgresql, else the folder of `postgres` in PATH. Throws Error if
/// initdb, postgres or psql is missing there.
Installation find_installation(const std::string& bin_dir);

/// Versions of the client libraries: `libpq`, `libpqxx`.
std::map<std::string, std::string> client_versions();

}  // namespace sidegrade::postgres
