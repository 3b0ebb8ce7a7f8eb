#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "layering/checks.h"

namespace sidegrade::layering {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const fs::path kCheckout = SIDEGRADE_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(kCheckout / path);
  return (std::ostringstream() << file.rdbuf()).str();
}

/// The files below `folder` whose names end in one of `endings`, from the
/// checkout, sorted.
std::vector<std::string> files_below(const std::string& folder,
                                     const std::vector<std::string>& endings) {
  std::vector<std::string> paths;
  for (const auto& entry :
       fs::recursive_directory_iterator(kCheckout / folder)) {
    const std::string path = fs::relative(entry.path(), kCheckout).string();
    const auto fits = [&](const std::string& end) {
      return path.ends_with(end);
    };
    if (std::any_of(endings.begin(), endings.end(), fits)) {
      paths.push_back(path);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// What `check` finds in all of src/, a line each.
template <typename Check>
std::string problems_in_sources(Check check) {
  std::string all;
  for (const std::string& path : files_below("src", {".h", ".cpp"})) {
    for (const std::string& problem : check({path, text_of(path)})) {
      all += problem + "\n";
    }
  }
  return all;
}

std::string joined(const Problems& problems) {
  std::string all;
  for (const std::string& problem : problems) all += problem + "\n";
  return all;
}

// What is true of this checkout.

TEST(Checkout, HasModulesSourcesAndTestsToCheck) {
  EXPECT_EQ(parse_modules(text_of("CMakeLists.txt")).at(0).name, "base");
  EXPECT_THAT(parse_test_folders(text_of("tests/CMakeLists.txt")),
              testing::Contains("layering"));
  EXPECT_THAT(files_below("src", {".h", ".cpp"}),
              testing::Contains("src/base/file.cpp"));
  EXPECT_THAT(files_below("tests", {"_test.cpp"}),
              testing::Contains("tests/layering/layering_test.cpp"));
}

TEST(Checkout, DeclaresEachModuleBelowThoseItIncludes) {
  EXPECT_EQ(joined(check_order(parse_modules(text_of("CMakeLists.txt")))), "");
}

TEST(Checkout, IncludesOnlyWhatTheModulesMay) {
  const auto modules = parse_modules(text_of("CMakeLists.txt"));
  EXPECT_EQ(problems_in_sources([&](const SourceFile& file) {
              return check_includes(file, modules);
            }),
            "");
}

TEST(Checkout, HasOneUserOfEachOutsideLibrary) {
  EXPECT_EQ(problems_in_sources(check_vendor_headers), "");
}

TEST(Checkout, StartsAndEndsProcessesInOnePlace) {
  EXPECT_EQ(problems_in_sources(check_calls), "");
}

TEST(Checkout, BuildsEachTest) {
  EXPECT_EQ(joined(check_tests_are_built(
                files_below("tests", {"_test.cpp"}),
                parse_test_folders(text_of("tests/CMakeLists.txt")))),
            "");
}

TEST(Checkout, TestsEachModule) {
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(kCheckout / "src")) {
    if (entry.is_directory()) {
      folders.push_back(entry.path().filename().string());
    }
  }
  std::sort(folders.begin(), folders.end());
  EXPECT_EQ(
      joined(check_modules_are_tested(
          folders, parse_tested_modules(text_of("tests/CMakeLists.txt")))),
      "");
}

// That the checks can fail.

const std::vector<Module> kModules = {
    {"base", {}}, {"host", {"base"}}, {"store", {"base"}}};

TEST(ModuleLines, AreReadWithoutLibrariesAndComments) {
  const auto modules = parse_modules(
      "# sidegrade_module(old base)\n"
      "sidegrade_module(base PRIVATE OpenSSL::Crypto)  # the lowest\n"
      "sidegrade_module(cli base\n  host PRIVATE CLI11::CLI11)\n");
  ASSERT_EQ(modules.size(), 2U);
  EXPECT_EQ(modules[0].name, "base");
  EXPECT_THAT(modules[0].may_include, IsEmpty());
  EXPECT_EQ(modules[1].name, "cli");
  EXPECT_THAT(modules[1].may_include, ElementsAre("base", "host"));
}

TEST(TestLines, AreReadButNotTheirFunction) {
  EXPECT_THAT(
      parse_test_folders("function(sidegrade_test folder label)\n"
                         "# sidegrade_test(old unit)\n"
                         "sidegrade_test(base unit LIBRARIES sidegrade_base)\n"
                         "sidegrade_test(postgres postgres WHOLE)\n"),
      UnorderedElementsAre("base", "postgres"));
}

TEST(Order, AllowsWhatStandsAbove) {
  EXPECT_THAT(check_order(kModules), IsEmpty());
}

TEST(Order, RefusesWhatStandsBelowOrNowhereOrTwice) {
  EXPECT_THAT(check_order({{"base", {"host"}}, {"host", {"base"}}}),
              ElementsAre("base may include host, which is not declared above "
                          "it"));
  EXPECT_THAT(check_order({{"base", {"base"}}}),
              ElementsAre("base may include base, which is not declared above "
                          "it"));
  EXPECT_THAT(check_order({{"base", {}}, {"base", {}}}),
              ElementsAre("base is declared twice"));
}

TEST(Includes, OfItsOwnAndOfLowerModulesAreAllowed) {
  EXPECT_THAT(check_includes({"src/host/tree.cpp",
                              "#include \"host/tree.h\"\n"
                              "#include <pci/pci.h>\n"
                              "#include \"base/file.h\"\n"},
                             kModules),
              IsEmpty());
}

TEST(Includes, OfAnotherModuleAreNamedWithTheirLine) {
  EXPECT_THAT(
      check_includes({"src/host/tree.cpp",
                      "#include \"host/tree.h\"\n\n"
                      "  #  include \"store/record.h\"  // why not\n"},
                     kModules),
      ElementsAre(
          "src/host/tree.cpp:3: host may not include \"store/record.h\""));
}

TEST(Includes, WithoutTheModulesNameAreRefused) {
  EXPECT_THAT(
      check_includes({"src/host/tree.cpp", "#include \"tree.h\"\n"}, kModules),
      ElementsAre("src/host/tree.cpp:1: \"tree.h\" does not name its module"));
  EXPECT_THAT(
      check_includes({"src/host/tree.cpp", "#include \"../base/file.h\"\n"},
                     kModules),
      ElementsAre("src/host/tree.cpp:1: host may not include "
                  "\"../base/file.h\""));
}

TEST(Includes, InAFileOutsideTheModulesAreRefused) {
  for (const char* path :
       {"src/extra/a.cpp", "src/host/deeper/a.cpp", "src/a.cpp"}) {
    EXPECT_THAT(check_includes({path, ""}, kModules),
                ElementsAre(std::string(path) +
                            ":1: lies in the folder of no sidegrade_module"));
  }
  EXPECT_THAT(
      check_includes({"src/main.cpp", "#include \"cli/cli.h\"\n"}, kModules),
      IsEmpty());
}

TEST(VendorHeaders, AreAllowedInSourcesOfTheirUser) {
  EXPECT_THAT(check_vendor_headers(
                  {"src/store/format.cpp", "#include <nlohmann/json.hpp>\n"}),
              IsEmpty());
  EXPECT_THAT(
      check_vendor_headers(
          {"src/host/a.cpp", "#include <fmt/format.h>\n#include <vector>\n"}),
      IsEmpty());
}

TEST(VendorHeaders, AreRefusedElsewhere) {
  for (const char* header :
       {"CLI/CLI.hpp", "yaml-cpp/yaml.h", "nlohmann/json.hpp",
        "libmount/libmount.h", "libmount.h", "blkid/blkid.h", "pci/pci.h",
        "pqxx/pqxx", "libpq-fe.h", "libpq/libpq-fs.h", "fe_utils/psqlscan.h",
        "postgres_fe.h", "openssl/evp.h"}) {
    EXPECT_EQ(
        check_vendor_headers(
            {"src/report/a.cpp", "\n#include <" + std::string(header) + ">\n"})
            .size(),
        1U)
        << header;
  }
  EXPECT_THAT(
      check_vendor_headers({"src/host/a.cpp", "#include \"pqxx/pqxx\"\n"}),
      ElementsAre(
          "src/host/a.cpp:1: <pqxx/pqxx> belongs in sources of postgres only"));
  EXPECT_THAT(check_vendor_headers({"src/main.cpp", "#include <CLI/CLI.hpp>"}),
              ElementsAre("src/main.cpp:1: <CLI/CLI.hpp> belongs in sources of "
                          "cli only"));
}

TEST(VendorHeaders, AreRefusedInHeadersOfTheirUserToo) {
  EXPECT_THAT(
      check_vendor_headers({"src/base/a.h", "#include <openssl/evp.h>\n"}),
      ElementsAre(
          "src/base/a.h:1: <openssl/evp.h> belongs in sources of base only"));
}

TEST(Calls, ThatStartAProcessAreRefusedOutsideBase) {
  for (const char* call :
       {"pid = fork();", "vfork();", "::execv(path, argv);",
        "execvpe(a, b, c);", "execl (a);", "std::system(\"ls\");",
        "popen(a, b);", "posix_spawnp(a);"}) {
    EXPECT_THAT(check_calls({"src/host/a.cpp", std::string("\n") + call}),
                ElementsAre("src/host/a.cpp:2: processes are started by "
                            "base::Child only"))
        << call;
    EXPECT_THAT(check_calls({"src/base/a.cpp", call}), IsEmpty()) << call;
  }
}

TEST(Calls, ThatEndTheProcessAreRefusedOutsideMain) {
  for (const char* call : {"exit(1);", "std::exit(0);", "  ::exit (2);",
                           "if (x) quick_exit(3);"}) {
    EXPECT_THAT(check_calls({"src/base/a.cpp", call}),
                ElementsAre("src/base/a.cpp:1: only main may end the process: "
                            "throw instead"))
        << call;
    EXPECT_THAT(check_calls({"src/main.cpp", call}), IsEmpty()) << call;
  }
}

TEST(Calls, OfOtherThingsWithSuchNamesAreAllowed) {
  for (const char* line :
       {"app->exit(error);", "app.exit(error);", "_exit(127);",
        "session.execute(sql);", "// after fork() only this", "on_exit(x);",
        "throw Error(\"call exit() in psql\");", "file_system(x);"}) {
    EXPECT_THAT(check_calls({"src/cli/a.cpp", line}), IsEmpty()) << line;
  }
}

TEST(TestFiles, AreBuiltFromTheirFolderOnly) {
  const std::set<std::string> folders = {"base"};
  EXPECT_THAT(
      check_tests_are_built(
          {"tests/base/file_test.cpp", "tests/bench/speed_test.cpp"}, folders),
      IsEmpty());
  for (const char* path :
       {"tests/host/tree_test.cpp", "tests/base/deeper/file_test.cpp",
        "tests/file_test.cpp", "tests/host/base/file_test.cpp"}) {
    EXPECT_THAT(
        check_tests_are_built({path}, folders),
        ElementsAre(std::string(path) + ":1: no sidegrade_test line builds "
                                        "it"));
  }
}

TEST(TestLines, SayWhichModulesTheyTest) {
  EXPECT_THAT(
      parse_tested_modules("# sidegrade_test(old LIBRARIES sidegrade_old)\n"
                           "sidegrade_test(layering unit)\n"
                           "sidegrade_test(run postgres WHOLE\n"
                           "  LIBRARIES sidegrade_bench sidegrade_store)\n"),
      UnorderedElementsAre("bench", "store"));
}

TEST(ModuleFolders, ThatNoTestLinksAreNamed) {
  EXPECT_THAT(check_modules_are_tested({"base", "host"}, {"base"}),
              ElementsAre("tests/CMakeLists.txt: no sidegrade_test line links "
                          "sidegrade_host"));
}

}  // namespace
}  // namespace sidegrade::layering
