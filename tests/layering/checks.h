#pragma once

#include <set>
#include <string>
#include <vector>

namespace sidegrade::layering {

/// One sidegrade_module(...) line of the top CMakeLists.txt.
struct Module {
  std::string name;
  std::vector<std::string> may_include;
};

struct SourceFile {
  std::string path;  ///< from the checkout: "src/base/file.cpp"
  std::string text;
};

/// What breaks a rule, a sentence each, beginning with "path:line: " where it
/// is in a file.
using Problems = std::vector<std::string>;

/// The modules in the order of the file.
std::vector<Module> parse_modules(const std::string& cmake);

/// The folders that sidegrade_test(...) lines name.
std::set<std::string> parse_test_folders(const std::string& cmake);

/// The modules whose libraries those lines link.
std::set<std::string> parse_tested_modules(const std::string& cmake);

/// Each module is named once and may include only modules above it: so there is
/// no cycle.
Problems check_order(const std::vector<Module>& modules);

/// The file lies in the folder of a module (or is src/main.cpp, which may
/// include all) and includes only what that module may.
Problems check_includes(const SourceFile& file,
                        const std::vector<Module>& modules);

/// Headers of outside libraries stand in sources of their one user.
Problems check_vendor_headers(const SourceFile& file);

/// Processes are started by base only, and only main ends this one.
Problems check_calls(const SourceFile& file);

/// Each `*_test.cpp` of `paths` ("tests/base/file_test.cpp") is where a
/// sidegrade_test line, or the benchmarks', looks for sources.
Problems check_tests_are_built(const std::vector<std::string>& paths,
                               const std::set<std::string>& test_folders);

/// Each of `module_folders` is linked by a test program.
Problems check_modules_are_tested(
    const std::vector<std::string>& module_folders,
    const std::set<std::string>& tested_modules);

}  // namespace sidegrade::layering
