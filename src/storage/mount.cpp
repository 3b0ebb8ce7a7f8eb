#include "storage/mount.h"

#include <fmt/format.h>
#include <libmount/libmount.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "host/block.h"

namespace sidegrade::storage {
namespace {

constexpr std::chrono::milliseconds kRetryPause{100};

using Context = std::unique_ptr<libmnt_context, decltype(&mnt_free_context)>;

/// A context for `point` alone: what fstab says of it doesn't count.
Context context_for(const std::filesystem::path& point) {
  Context context(mnt_new_context(), mnt_free_context);
  if (!context || mnt_context_set_target(context.get(), point.c_str()) != 0) {
    throw std::bad_alloc();
  }
  mnt_context_disable_helpers(context.get(), 1);
  return context;
}

/// Throws Error with libmount's words if the call that gave `result` failed.
void require_success(const Context& context, int result,
                     const std::string& what) {
  std::array<char, 512> reason{};
  if (mnt_context_get_excode(context.get(), result, reason.data(),
                             reason.size()) != MNT_EX_SUCCESS) {
    throw base::Error(
        fmt::format("{}: {}", what,
                    reason.front() != '\0' ? reason.data() : "unknown reason"),
        "dmesg may say more.");
  }
}

bool links_into(const std::filesystem::path& link,
                const std::filesystem::path& point) {
  std::error_code unreadable;
  const auto end = std::filesystem::read_symlink(link, unreadable);
  return !unreadable && lies_within(end, point);
}

bool uses(const std::filesystem::path& process,
          const std::filesystem::path& point) {
  for (const char* link : {"cwd", "root", "exe"}) {
    if (links_into(process / link, point)) return true;
  }
  std::error_code vanished;
  for (const auto& fd :
       std::filesystem::directory_iterator(process / "fd", vanished)) {
    if (links_into(fd.path(), point)) return true;
  }
  const std::string maps = base::try_read_file(process / "maps").value_or("");
  return maps.find(" " + point.string() + "/") != std::string::npos;
}

std::string users_of(const std::filesystem::path& point) {
  std::vector<std::string> users;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string pid = entry.path().filename().string();
    if (std::isdigit(static_cast<unsigned char>(pid.front())) == 0) continue;
    if (!uses(entry.path(), point)) continue;
    const std::string name =
        base::try_read_file(entry.path() / "comm").value_or("?");
    users.push_back(fmt::format("{} (process {})", base::trim(name), pid));
  }
  return users.empty() ? "by no process that /proc shows"
                       : "by " + base::join(users, ", ");
}

bool is_mounted(const std::filesystem::path& point) {
  const std::vector<host::Mount> all = host::mounts({});
  return std::any_of(all.begin(), all.end(), [&](const host::Mount& mount) {
    return mount.point == point;
  });
}

enum class Attempt { kDone, kBusy };

Attempt try_unmount(const std::filesystem::path& point) {
  const Context context = context_for(point);
  mnt_context_disable_canonicalize(context.get(), 1);
  const int result = mnt_context_umount(context.get());
  if (mnt_context_syscall_called(context.get()) == 1 &&
      mnt_context_get_syscall_errno(context.get()) == EBUSY) {
    return Attempt::kBusy;
  }
  require_success(context, result,
                  fmt::format("{} could not be unmounted", point.string()));
  return Attempt::kDone;
}

}  // namespace

void mount_filesystem(const MountRequest& request) {
  const Context context = context_for(request.point);
  if (mnt_context_set_fstype(context.get(), request.filesystem.c_str()) != 0 ||
      mnt_context_set_source(context.get(), request.source.c_str()) != 0 ||
      mnt_context_set_options(context.get(), request.options.c_str()) != 0) {
    throw base::Error(fmt::format("libmount does not accept the options \"{}\"",
                                  request.options),
                      "Correct mount_options in the scenario.");
  }
  const int result = mnt_context_mount(context.get());
  require_success(
      context, result,
      fmt::format("{} could not be mounted at {} as {}", request.source,
                  request.point.string(), request.filesystem));
}

void unmount(const std::filesystem::path& point,
             std::chrono::milliseconds patience) {
  const double deadline = base::monotonic_seconds() +
                          std::chrono::duration<double>(patience).count();
  while (is_mounted(point)) {
    if (try_unmount(point) == Attempt::kDone) continue;
    if (base::monotonic_seconds() > deadline) {
      throw base::Error(fmt::format("{} can't be unmounted, it is used {}",
                                    point.string(), users_of(point)),
                        "End what uses it, then run sidegrade restore.");
    }
    std::this_thread::sleep_for(kRetryPause);
  }
}

std::vector<std::filesystem::path> mounts_within(
    const std::filesystem::path& path) {
  std::vector<std::filesystem::path> points;
  for (const host::Mount& mount : host::mounts({})) {
    if (lies_within(mount.point, path)) points.push_back(mount.point);
  }
  return points;
}

bool lies_within(const std::filesystem::path& path,
                 const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end())
             .first == folder.end();
}

}  // namespace sidegrade::storage
