#include "storage/loop.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "host/block.h"
#include "storage/commands.h"

namespace sidegrade::storage {
namespace {

constexpr double kDetachLimitSeconds = 10;
constexpr std::chrono::milliseconds kPollPause{20};
constexpr std::string_view kDeletedMark = " (deleted)";

base::UniqueFd open_image(const std::filesystem::path& image, int flags) {
  base::UniqueFd fd(
      open(image.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600));
  if (!fd) {
    base::throw_errno(
        fmt::format("the image {} could not be opened", image.string()));
  }
  return fd;
}

std::string backing_file(const std::filesystem::path& block_device) {
  const std::string text =
      base::try_read_file(block_device / "loop" / "backing_file").value_or("");
  return text.substr(0, text.rfind('\n'));
}

void require_unmounted(const std::string& device) {
  for (const host::Mount& mount : host::mounts({})) {
    if (mount.source != device) continue;
    throw base::Error(
        fmt::format("{} is still mounted at {}", device, mount.point.string()),
        "Unmount it, then run sidegrade restore.");
  }
}

}  // namespace

void create_image(const std::filesystem::path& image, uint64_t size_bytes) {
  const base::UniqueFd fd = open_image(image, O_CREAT | O_EXCL);
  if (ftruncate(fd.get(), static_cast<off_t>(size_bytes)) != 0) {
    base::throw_errno(
        fmt::format("the image {} could not get its size of {} bytes",
                    image.string(), size_bytes));
  }
}

Allocation allocate_image(const std::filesystem::path& image,
                          uint64_t size_bytes) {
  const base::UniqueFd fd = open_image(image, 0);
  if (fallocate(fd.get(), 0, 0, static_cast<off_t>(size_bytes)) == 0) {
    return Allocation::kFull;
  }
  if (errno == EOPNOTSUPP || errno == ENOSYS) return Allocation::kSparse;
  base::throw_errno(
      fmt::format("{} bytes for the image {} could not be reserved", size_bytes,
                  image.string()),
      "Make room there, or name another image_dir.");
}

std::string attach_loop(const std::filesystem::path& image) {
  const base::Output direct = base::run(attach_command(image, LoopIo::kDirect));
  if (direct.status.success()) return std::string(base::trim(direct.out));
  // It may have been attached before direct I/O was refused.
  detach_loops(image);
  return std::string(
      base::trim(base::run_checked(attach_command(image, LoopIo::kBuffered))));
}

std::vector<std::string> loops_of(const std::filesystem::path& image) {
  const std::string deleted = image.string() + std::string(kDeletedMark);
  std::vector<std::string> devices;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block")) {
    const std::string file = backing_file(entry.path());
    if (file == image.string() || file == deleted) {
      devices.push_back("/dev/" + entry.path().filename().string());
    }
  }
  return devices;
}

void detach_loops(const std::filesystem::path& image) {
  std::vector<std::string> devices = loops_of(image);
  for (const std::string& device : devices) {
    require_unmounted(device);
    base::run_checked(detach_command(device));
  }
  const double deadline = base::monotonic_seconds() + kDetachLimitSeconds;
  for (; !devices.empty(); devices = loops_of(image)) {
    if (base::monotonic_seconds() > deadline) {
      throw base::Error(
          fmt::format("{} stays attached to {}", image.string(),
                      devices.front()),
          "Something still uses it (another mount namespace?). End that, then "
          "run sidegrade restore.");
    }
    std::this_thread::sleep_for(kPollPause);
  }
}

}  // namespace sidegrade::storage
