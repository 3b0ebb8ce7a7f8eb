#include "host/block.h"

#include <algorithm>
#include <utility>

#include "host/tree.h"

namespace sidegrade::host {
namespace {

/// A folder of sysfs that is a block device.
struct Node {
  std::string name;
  std::string disk;  ///< of a partition; otherwise empty
  std::filesystem::path folder;
  std::string number;  ///< "8:1"
};

/// The block devices of a machine and how they stand on one another. Found by
/// the `dev` files and not by symbolic links, so that recorded trees are plain.
class DeviceTree {
 public:
  explicit DeviceTree(const Root& root);

  std::optional<BlockDevice> find(const std::string& name) const;
  /// The devices that the file system holding `path` is made on.
  std::vector<std::string> holding(const std::filesystem::path& path) const;
  /// Appends `name` and all below it, each once.
  void add_with_below(const std::string& name,
                      std::vector<BlockDevice>& devices) const;

 private:
  BlockDevice describe(const Node& node) const;
  std::vector<std::string> named_by_source(const Mount& mount) const;

  const Root& root_;
  std::vector<Node> nodes_;
};

DeviceTree::DeviceTree(const Root& root) : root_(root) {
  const auto all = root / "/sys/block";
  const auto add = [this](const std::string& name, const std::string& disk,
                          const std::filesystem::path& folder) {
    nodes_.push_back({name, disk, folder, read_fact(folder / "dev").value});
  };
  for (const std::string& disk : names_in(all)) {
    add(disk, "", all / disk);
    for (const std::string& name : names_in(all / disk)) {
      const auto folder = all / disk / name;
      std::error_code error;
      if (std::filesystem::exists(folder / "partition", error)) {
        add(name, disk, folder);
      }
    }
  }
}

std::optional<BlockDevice> DeviceTree::find(const std::string& name) const {
  const auto node = std::find_if(nodes_.begin(), nodes_.end(),
                                 [&](const Node& n) { return n.name == name; });
  if (node == nodes_.end()) return std::nullopt;
  return describe(*node);
}

BlockDevice DeviceTree::describe(const Node& node) const {
  if (!node.disk.empty()) return {node.name, "partition", {node.disk}};
  if (node.name.starts_with("loop")) {
    const Fact file = read_fact(node.folder / "loop/backing_file");
    return {node.name, "loop",
            is_known(file) ? holding(file.value) : std::vector<std::string>()};
  }
  std::string kind = "disk";
  if (std::filesystem::exists(node.folder / "md")) kind = "md";
  if (std::filesystem::exists(node.folder / "dm")) kind = "dm";
  return {node.name, kind, names_in(node.folder / "slaves")};
}

std::vector<std::string> DeviceTree::holding(
    const std::filesystem::path& path) const {
  const auto mount = mount_of(root_, path);
  if (!mount) return {};
  for (const Node& node : nodes_) {
    if (node.number == mount->device_number) return {node.name};
  }
  return named_by_source(*mount);
}

/// btrfs has device numbers of its own (major 0) and may span several devices,
/// of which the source names one.
std::vector<std::string> DeviceTree::named_by_source(const Mount& mount) const {
  if (!mount.source.starts_with("/dev/")) return {};
  std::error_code error;
  const auto file =
      std::filesystem::weakly_canonical(root_ / mount.source, error);
  const std::string name = file.filename();
  const auto systems = root_ / "/sys/fs/btrfs";
  for (const std::string& uuid : names_in(systems)) {
    auto peers = names_in(systems / uuid / "devices");
    if (std::find(peers.begin(), peers.end(), name) != peers.end()) {
      return peers;
    }
  }
  return {name};
}

void DeviceTree::add_with_below(const std::string& name,
                                std::vector<BlockDevice>& devices) const {
  const auto same = [&](const BlockDevice& d) { return d.name == name; };
  if (std::any_of(devices.begin(), devices.end(), same)) return;
  auto device = find(name);
  if (!device) return;
  devices.push_back(*device);
  for (const std::string& below : device->below) add_with_below(below, devices);
}

}  // namespace

std::vector<BlockDevice> devices_under(const Root& root,
                                       const std::filesystem::path& path) {
  const DeviceTree tree(root);
  std::vector<BlockDevice> devices;
  for (const std::string& name : tree.holding(path)) {
    tree.add_with_below(name, devices);
  }
  return devices;
}

std::optional<BlockDevice> find_device(const Root& root,
                                       const std::string& name) {
  return DeviceTree(root).find(name);
}

}  // namespace sidegrade::host
