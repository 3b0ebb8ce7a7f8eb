#include "scenario/scenario_folder.h"

#include <cstdlib>
#include <fstream>

#include "base/error.h"

namespace sidegrade::scenario {

namespace fs = std::filesystem;

ScenarioFolder::ScenarioFolder() {
  std::string name = fs::temp_directory_path() / "scenario-test-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) base::throw_errno("no folder " + name);
  path_ = name;
  fs::create_directories(path_ / "schemas" / "tiny");
  fs::create_directories(path_ / "schemas" / "unfinished");
  write("schemas/tiny/generator.yaml", "tables: []\n");
  write("schema.sql", "CREATE TABLE item (id integer);\n");
  write("data.sql", "INSERT INTO item VALUES (1);\n");
}

ScenarioFolder::~ScenarioFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void ScenarioFolder::write(const std::string& name,
                           const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
}

Scenario ScenarioFolder::load(const std::string& text) const {
  write("mine.yaml", text);
  return load_scenario(path_ / "mine.yaml", path_ / "schemas");
}

std::string ScenarioFolder::errors(const std::string& text) const {
  try {
    load(text);
  } catch (const ScenarioError& error) {
    std::string sentences = error.what();
    const std::string prefix = path_.string() + "/";
    for (size_t at = sentences.find(prefix); at != std::string::npos;
         at = sentences.find(prefix)) {
      sentences.erase(at, prefix.size());
    }
    return sentences;
  }
  return "";
}

}  // namespace sidegrade::scenario
