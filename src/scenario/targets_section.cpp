#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/process.h"
#include "base/text.h"
#include "base/units.h"
#include "scenario/sections.h"

namespace sidegrade::scenario {
namespace {

namespace fs = std::filesystem;
using storage::DirectorySpec;
using storage::LoopSpec;
using storage::TargetSpec;

constexpr const char* kDefaultImageDirectory = "/var/tmp";

bool is_alphanumeric(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

std::string read_name(const YamlValue& value) {
  const auto name = value.text();
  if (!name) return "";
  const bool good =
      is_alphanumeric(name->front()) &&
      std::all_of(name->begin(), name->end(), [](char c) {
        return is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
      });
  if (!good) {
    value.report(fmt::format(
        "target name \"{}\" must be letters, digits, '.', '_' and '-', and "
        "begin with a letter or digit",
        *name));
  }
  return *name;
}

uint64_t read_size(const YamlValue& value) {
  const auto size = value.parsed(base::parse_bytes);
  if (size && *size == 0) value.report("\"size\" must be above zero");
  return size.value_or(0);
}

/// Any file system that has a mkfs will do; others are taken for typing errors.
std::string read_filesystem(const YamlValue& value) {
  static const std::vector<std::string> known = {
      "bcachefs", "btrfs", "ext2",   "ext3",     "ext4",
      "f2fs",     "jfs",   "nilfs2", "reiserfs", "xfs"};
  const auto name = value.text();
  if (!name) return "";
  const bool is_word = std::all_of(name->begin(), name->end(), is_alphanumeric);
  if (is_word && base::find_program("mkfs." + *name)) return *name;
  value.choice("file system", known);
  return *name;
}

std::string read_mount_options(const YamlValue& value) {
  const auto options = value.text();
  if (!options) return "";
  if (base::split_words(*options).size() > 1) {
    value.report("\"mount_options\" must be one word, options between commas");
  }
  return *options;
}

LoopSpec read_loop(const YamlValue& value, const Folders& folders) {
  const YamlMap map(
      value, {"size", "filesystem", "mkfs_args", "mount_options", "image_dir"});
  LoopSpec spec;
  spec.size_bytes = read_size(map.require("size"));
  spec.filesystem = read_filesystem(map.require("filesystem"));
  spec.mkfs_arguments =
      map.find("mkfs_args").words().value_or(std::vector<std::string>());
  spec.mount_options = read_mount_options(map.find("mount_options"));
  spec.image_directory = existing_directory(map.find("image_dir"), folders)
                             .value_or(kDefaultImageDirectory);
  return spec;
}

TargetSpec read_target(const YamlMap& map, const Folders& folders) {
  TargetSpec spec;
  spec.name = read_name(map.require("name"));
  const YamlValue path = map.find("path");
  const YamlValue loop = map.find("loop");
  const YamlValue& target = map.value();
  if (loop) {
    spec.place =
        read_loop(loop.named(R"("loop" of )" + target.what()), folders);
  } else {
    spec.place =
        DirectorySpec{existing_directory(path, folders).value_or(fs::path())};
  }
  if (path && loop) {
    target.report(target.what() + R"( has both "path" and "loop")");
  } else if (!path && !loop && target.node().kind == YamlNode::Kind::kMap) {
    target.report(target.what() + R"( lacks "path" or "loop")");
  }
  return spec;
}

/// Names are what results are found by, and one directory can't be locked for
/// two targets.
void check_unique(const Scenario& scenario, const YamlMap& map) {
  const TargetSpec& last = scenario.targets.back();
  const auto* place = std::get_if<DirectorySpec>(&last.place);
  for (size_t i = 0; i + 1 < scenario.targets.size(); ++i) {
    const TargetSpec& other = scenario.targets[i];
    if (!last.name.empty() && other.name == last.name) {
      map.find("name").report(
          fmt::format("target name \"{}\" is there twice, first in line {}",
                      last.name, scenario.target_locations[i].line));
      return;
    }
    const auto* other_place = std::get_if<DirectorySpec>(&other.place);
    std::error_code ignored;
    if (place != nullptr && other_place != nullptr &&
        fs::equivalent(place->path, other_place->path, ignored)) {
      map.find("path").report(
          fmt::format(R"(target "{}" has the same directory as target "{}")",
                      last.name, other.name));
      return;
    }
  }
}

}  // namespace

void read_targets(const YamlValue& value, const Folders& folders,
                  Scenario& scenario) {
  const auto items = value.items("target");
  for (const YamlValue& item : items) {
    const YamlMap map(item, {"name", "path", "loop"});
    scenario.targets.push_back(read_target(map, folders));
    scenario.target_locations.push_back(item.node().place);
    check_unique(scenario, map);
  }
  if (value && value.node().kind == YamlNode::Kind::kList && items.empty()) {
    value.report("\"targets\" is an empty list");
  }
}

}  // namespace sidegrade::scenario
