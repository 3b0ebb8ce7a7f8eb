#pragma once

#include <filesystem>
#include <string>

#include "scenario/scenario.h"

namespace sidegrade::scenario {

/// A temporary folder with `schema.sql`, `data.sql` and a schema `tiny`; it
/// goes with the object.
class ScenarioFolder {
 public:
  ScenarioFolder();
  ScenarioFolder(const ScenarioFolder&) = delete;
  ScenarioFolder& operator=(const ScenarioFolder&) = delete;
  ~ScenarioFolder();

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const;
  /// `text`, loaded as the file `mine.yaml` of this folder.
  Scenario load(const std::string& text) const;
  /// What is wrong with `text`, paths without this folder; "" if nothing is.
  std::string errors(const std::string& text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace sidegrade::scenario
