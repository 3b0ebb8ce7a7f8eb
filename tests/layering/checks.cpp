#include "layering/checks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>

namespace sidegrade::layering {
namespace {

struct Vendor {
  std::string_view header;  ///< how its headers' names begin
  std::string_view user;
};

// The table of docs/architecture.md.
constexpr std::array kVendors = {
    Vendor{"CLI/", "cli"},         Vendor{"yaml-cpp/", "scenario"},
    Vendor{"nlohmann/", "store"},  Vendor{"libmount", "storage"},
    Vendor{"blkid", "storage"},    Vendor{"pci/", "host"},
    Vendor{"pqxx/", "postgres"},   Vendor{"libpq", "postgres"},
    Vendor{"fe_utils/", "script"}, Vendor{"postgres_fe.h", "script"},
    Vendor{"mb/", "script"},       Vendor{"openssl/", "base"},
    Vendor{"archive", "workload"},
};

constexpr const char* kMain = "src/main.cpp";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string without_cmake_comments(const std::string& cmake) {
  return std::regex_replace(cmake, std::regex("#[^\n]*"), "");
}

/// The arguments of each call of `function`, in order.
std::vector<std::vector<std::string>> calls_of(const std::string& function,
                                               const std::string& cmake) {
  const std::string text = without_cmake_comments(cmake);
  const std::regex call(R"(\b)" + function + R"(\s*\(([^)]*)\))");
  std::vector<std::vector<std::string>> calls;
  for (std::sregex_iterator match(text.begin(), text.end(), call), end;
       match != end; ++match) {
    std::istringstream words((*match)[1].str());
    calls.emplace_back(std::istream_iterator<std::string>(words),
                       std::istream_iterator<std::string>());
  }
  return calls;
}

/// "base" of "src/base/file.cpp"; nothing of a file that is in no folder of
/// src, or deeper.
std::optional<std::string> module_of(const std::string& path) {
  static const std::regex shape("src/([^/]+)/[^/]+");
  std::smatch match;
  if (!std::regex_match(path, match, shape)) return std::nullopt;
  return match[1].str();
}

using Judge = std::function<std::optional<std::string>(const std::string&)>;

/// What `judge` finds in the file's lines, with the place before it.
Problems judge_lines(const SourceFile& file, const Judge& judge) {
  Problems problems;
  const std::vector<std::string> lines = lines_of(file.text);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (const auto problem = judge(lines[i])) {
      problems.push_back(file.path + ":" + std::to_string(i + 1) + ": " +
                         *problem);
    }
  }
  return problems;
}

struct Include {
  std::string header;
  bool quoted;
};

std::optional<Include> include_of(const std::string& line) {
  static const std::regex shape(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::smatch match;
  if (!std::regex_match(line, match, shape)) return std::nullopt;
  return Include{match[2].str(), match[1].str() == "\""};
}

std::string code_of(const std::string& line) {
  static const std::regex text(R"("([^"\\]|\\.)*")");
  static const std::regex comment("//.*");
  return std::regex_replace(std::regex_replace(line, text, "\"\""), comment,
                            "");
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::vector<Module> parse_modules(const std::string& cmake) {
  std::vector<Module> modules;
  for (const auto& words : calls_of("sidegrade_module", cmake)) {
    const auto end = std::find(words.begin(), words.end(), "PRIVATE");
    modules.push_back({words.at(0), {words.begin() + 1, end}});
  }
  return modules;
}

std::set<std::string> parse_test_folders(const std::string& cmake) {
  std::set<std::string> folders;
  for (const auto& words : calls_of("sidegrade_test", cmake)) {
    folders.insert(words.at(0));
  }
  return folders;
}

std::set<std::string> parse_tested_modules(const std::string& cmake) {
  constexpr std::string_view kPrefix = "sidegrade_";
  std::set<std::string> modules;
  for (const auto& words : calls_of("sidegrade_test", cmake)) {
    for (const std::string& word : words) {
      if (word.starts_with(kPrefix))
        modules.insert(word.substr(kPrefix.size()));
    }
  }
  return modules;
}

Problems check_order(const std::vector<Module>& modules) {
  Problems problems;
  std::vector<std::string> above;
  for (const Module& module : modules) {
    if (contains(above, module.name)) {
      problems.push_back(module.name + " is declared twice");
    }
    for (const std::string& lower : module.may_include) {
      if (!contains(above, lower)) {
        problems.push_back(module.name + " may include " + lower +
                           ", which is not declared above it");
      }
    }
    above.push_back(module.name);
  }
  return problems;
}

Problems check_includes(const SourceFile& file,
                        const std::vector<Module>& modules) {
  if (file.path == kMain) return {};
  const auto name = module_of(file.path);
  const auto module =
      std::find_if(modules.begin(), modules.end(),
                   [&](const Module& each) { return each.name == name; });
  if (module == modules.end()) {
    return {file.path + ":1: lies in the folder of no sidegrade_module"};
  }
  return judge_lines(
      file, [&](const std::string& line) -> std::optional<std::string> {
        const auto include = include_of(line);
        if (!include || !include->quoted) return std::nullopt;
        const size_t slash = include->header.find('/');
        if (slash == std::string::npos) {
          return "\"" + include->header + "\" does not name its module";
        }
        const std::string used = include->header.substr(0, slash);
        if (used == module->name || contains(module->may_include, used)) {
          return std::nullopt;
        }
        return module->name + " may not include \"" + include->header + "\"";
      });
}

Problems check_vendor_headers(const SourceFile& file) {
  const std::string module = module_of(file.path).value_or("");
  const bool is_source = file.path.ends_with(".cpp");
  return judge_lines(
      file, [&](const std::string& line) -> std::optional<std::string> {
        const auto include = include_of(line);
        if (!include) return std::nullopt;
        for (const Vendor& vendor : kVendors) {
          if (!include->header.starts_with(vendor.header)) continue;
          if (module == vendor.user && is_source) return std::nullopt;
          return "<" + include->header + "> belongs in sources of " +
                 std::string(vendor.user) + " only";
        }
        return std::nullopt;
      });
}

Problems check_calls(const SourceFile& file) {
  static const std::regex start(
      R"((^|[^\w.>])(v?fork|exec[lv]p?e?|posix_spawnp?|popen|system)\s*\()");
  static const std::regex end(R"((^|[^\w.>])(quick_)?exit\s*\()");
  return judge_lines(
      file, [&](const std::string& line) -> std::optional<std::string> {
        const std::string code = code_of(line);
        if (module_of(file.path) != "base" && std::regex_search(code, start)) {
          return "processes are started by base::Child only";
        }
        if (file.path != kMain && std::regex_search(code, end)) {
          return "only main may end the process: throw instead";
        }
        return std::nullopt;
      });
}

Problems check_tests_are_built(const std::vector<std::string>& paths,
                               const std::set<std::string>& test_folders) {
  Problems problems;
  for (const std::string& path : paths) {
    const std::filesystem::path parent =
        std::filesystem::path(path).parent_path();
    const std::string folder = parent.filename().string();
    const bool direct = parent.parent_path() == "tests";
    if (direct && (test_folders.contains(folder) || folder == "bench")) {
      continue;
    }
    problems.push_back(path + ":1: no sidegrade_test line builds it");
  }
  return problems;
}

Problems check_modules_are_tested(
    const std::vector<std::string>& module_folders,
    const std::set<std::string>& tested_modules) {
  Problems problems;
  for (const std::string& folder : module_folders) {
    if (!tested_modules.contains(folder)) {
      problems.push_back(
          "tests/CMakeLists.txt: no sidegrade_test line links "
          "sidegrade_" +
          folder);
    }
  }
  return problems;
}

}  // namespace sidegrade::layering
