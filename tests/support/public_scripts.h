#pragma once

// The collection of public SQL scripts beside the checkout, and what psql 15 is
// known to make of each.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "support/temp_dir.h"

namespace sidegrade::test {

namespace fs = std::filesystem;

inline fs::path scripts_directory() {
  return fs::path(SIDEGRADE_SOURCE_DIR) / ".." / "shared/inputs/scripts";
}

/// One load of the collection: files in order, and what psql made of them.
struct Load {
  friend void PrintTo(const Load& load, std::ostream* out) {
    *out << load.name;
  }

  std::string name;
  std::vector<fs::path> files;
  int errors = 0;                            ///< that psql reported
  std::vector<std::string> volatile_tables;  ///< differ between two loads
};

/// The dumps' folder whose name begins as `name` does ("07b-…": 07-…).
inline fs::path dump_directory(const std::string& name) {
  for (const auto& entry :
       fs::directory_iterator(scripts_directory() / "dumps")) {
    if (entry.path().filename().string().substr(0, 2) == name.substr(0, 2)) {
      return entry.path();
    }
  }
  return {};
}

inline Load read_load(const fs::path& expected) {
  Load load{.name = expected.stem()};
  std::istringstream text(base::read_file(expected));
  for (std::string line; std::getline(text, line);) {
    const size_t of = line.find(" of: ");
    if (line.starts_with("# state") && of != std::string::npos) {
      for (const std::string& file : base::split_words(line.substr(of + 5))) {
        load.files.push_back(dump_directory(load.name) / file);
      }
    } else if (line.starts_with("# errors reported by psql: ")) {
      load.errors = std::stoi(line.substr(27));
    } else if (line.ends_with("\t-")) {
      load.volatile_tables.push_back(base::split(line, '\t').front());
    }
  }
  return load;
}

inline std::vector<Load> all_loads() {
  std::vector<Load> loads;
  std::error_code absent;
  for (const auto& entry :
       fs::directory_iterator(scripts_directory() / "expected", absent)) {
    if (entry.path().extension() == ".txt") {
      loads.push_back(read_load(entry.path()));
    }
  }
  std::sort(loads.begin(), loads.end(),
            [](const Load& a, const Load& b) { return a.name < b.name; });
  return loads;
}

/// Archives and UTF-16 are no SQL text: psql's errors there are about garbage,
/// ours say what the file is (script_reader_test).
inline std::vector<Load> loads_of_text() {
  std::vector<Load> loads = all_loads();
  std::erase_if(loads, [](const Load& load) {
    return load.name.starts_with("50s-") || load.name.starts_with("50p-");
  });
  return loads;
}

inline std::string test_name(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return !std::isalnum(c); }, '_');
  return text;
}

/// The file itself, or its unpacked copy in `folder` if only FILE.gz is there.
inline fs::path unpack(const fs::path& file, const TempDir& folder) {
  if (fs::exists(file)) return file;
  return folder.file(
      file.filename(),
      base::run_checked({.argv = {"gzip", "-dc", file.string() + ".gz"}}));
}

}  // namespace sidegrade::test
