#include "postgres/installation.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <pqxx/version>
#include <vector>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"

namespace sidegrade::postgres {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHint =
    "Install postgresql-15, or name the folder of initdb and postgres in the "
    "scenario's postgres.bin_dir.";

fs::path newest_debian_directory() {
  std::vector<std::pair<long, fs::path>> versions;
  std::error_code absent;
  for (const auto& entry :
       fs::directory_iterator("/usr/lib/postgresql", absent)) {
    const fs::path bin = entry.path() / "bin";
    const long major =
        std::strtol(entry.path().filename().c_str(), nullptr, 10);
    if (fs::exists(bin / "postgres")) versions.emplace_back(major, bin);
  }
  const auto newest = std::max_element(versions.begin(), versions.end());
  return newest == versions.end() ? fs::path() : newest->second;
}

fs::path automatic_directory() {
  fs::path directory = newest_debian_directory();
  if (!directory.empty()) return directory;
  const auto postgres = base::find_program("postgres");
  if (postgres) return postgres->parent_path();
  throw base::Error("no PostgreSQL server was found", kHint);
}

/// "15.20" of "postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)".
std::string version_of(const fs::path& postgres) {
  const std::string text =
      base::run_checked({.argv = {postgres.string(), "--version"}});
  const auto words = base::split_words(text);
  if (words.size() >= 3) return words[2];
  throw base::Error(fmt::format("{} --version printed \"{}\"",
                                postgres.string(), base::trim(text)));
}

}  // namespace

Installation find_installation(const std::string& bin_dir) {
  Installation found;
  found.bin_directory =
      bin_dir == "auto" ? automatic_directory() : fs::path(bin_dir);
  for (const char* name : {"initdb", "postgres", "psql"}) {
    if (!base::find_program(found.program(name).string())) {
      throw base::Error(fmt::format("{} is not an executable program",
                                    found.program(name).string()),
                        kHint);
    }
  }
  found.version = version_of(found.program("postgres"));
  return found;
}

std::map<std::string, std::string> client_versions() {
  const int libpq = PQlibVersion();
  return {{"libpq", fmt::format("{}.{}", libpq / 10000, libpq % 10000)},
          {"libpqxx", PQXX_VERSION}};
}

}  // namespace sidegrade::postgres
