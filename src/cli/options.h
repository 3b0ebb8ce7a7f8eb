#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/paths.h"

namespace sidegrade::cli {

/// What the command line says, whatever the command: each uses what it needs.
struct Options {
  bench::Paths paths;
  std::filesystem::path scenario;
  std::vector<std::string> kernels;
  std::string host;
  std::string scenario_name;
  std::string by = "kernel";
  std::string format = "text";
  bool json = false;
  bool only_check = false;
};

/// The folders to use unless the command line names others: `results` here,
/// state and cache where this user keeps such, the schemas beside the program
/// (installed, or in its checkout).
bench::Paths default_paths();

}  // namespace sidegrade::cli
