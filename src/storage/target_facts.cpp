#include "storage/target_facts.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "host/block.h"
#include "storage/commands.h"

namespace sidegrade::storage {
namespace {

host::Fact known(std::string value) { return {std::move(value), ""}; }
host::Fact unknown(std::string reason) { return {"", std::move(reason)}; }

/// A fact made by `extract` from what the command prints.
template <typename Extract>
host::Fact asked(const base::Command& command, Extract extract) {
  try {
    const base::Output output = base::run(command);
    const std::string value =
        output.status.success() ? extract(output) : std::string();
    if (!value.empty()) return known(value);
    return unknown(fmt::format("{} did not tell ({})",
                               base::to_shell_text(command),
                               output.status.text()));
  } catch (const base::Error& error) {
    return unknown(error.what());
  }
}

host::Fact features(const host::Mount& mount) {
  const auto command = features_command(mount.type, mount.source, mount.point);
  if (!command) {
    return unknown(
        fmt::format("sidegrade has no way to ask {} for them", mount.type));
  }
  return asked(*command, [&](const base::Output& output) {
    return mount.type == "xfs" ? xfs_features(output.out)
                               : ext_features(output.out);
  });
}

void add_space(const std::filesystem::path& folder, host::Facts& facts) {
  struct statvfs space {};
  if (statvfs(folder.c_str(), &space) != 0) {
    base::throw_errno(
        fmt::format("the space of {} can't be read", folder.string()));
  }
  const auto bytes = [&](fsblkcnt_t blocks) {
    return known(std::to_string(uint64_t{blocks} * space.f_frsize));
  };
  facts["filesystem.block_bytes"] = known(std::to_string(space.f_bsize));
  facts["filesystem.total_bytes"] = bytes(space.f_blocks);
  facts["filesystem.free_bytes"] = bytes(space.f_bavail);
}

}  // namespace

void describe_file_system(ProvisionedTarget& target) {
  host::Facts& facts = target.facts;
  if (const auto mount = host::mount_of({}, target.folder)) {
    facts["mount.type"] = known(mount->type);
    facts["mount.options"] = known(mount->options);
    facts["mount.source"] = known(mount->source);
    facts["filesystem.features"] = features(*mount);
  } else {  // as in a chroot, whose root is no mount of its own
    for (const char* name : {"mount.type", "mount.options", "mount.source",
                             "filesystem.features"}) {
      facts[name] = unknown("no mount that this process sees holds the folder");
    }
  }
  add_space(target.folder, facts);
  for (const auto& device : host::devices_under({}, target.folder)) {
    target.devices.push_back(device.name);
    for (const auto& [name, fact] : host::device_facts({}, device)) {
      facts[fmt::format("block.{}.{}", device.name, name)] = fact;
    }
  }
}

host::Fact mkfs_version(const std::string& filesystem) {
  return asked(
      mkfs_version_command(filesystem), [](const base::Output& output) {
        const std::string& text = output.out.empty() ? output.err : output.out;
        return base::split(base::trim(text), '\n').front();
      });
}

std::string ext_features(const std::string& dumpe2fs_output) {
  constexpr std::string_view kLabel = "Filesystem features:";
  for (const std::string& line : base::split(dumpe2fs_output, '\n')) {
    if (!line.starts_with(kLabel)) continue;
    return std::string(
        base::trim(std::string_view(line).substr(kLabel.size())));
  }
  return {};
}

std::string xfs_features(const std::string& xfs_info_output) {
  std::vector<std::string> words;
  for (const std::string& word : base::split_words(xfs_info_output)) {
    if (word != "=" && !word.starts_with("meta-data=")) words.push_back(word);
  }
  return base::join(words, " ");
}

}  // namespace sidegrade::storage
