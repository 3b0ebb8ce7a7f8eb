#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include "base/error.h"

namespace sidegrade::base {
namespace {

constexpr size_t kPieceBytes = 1 << 20;

UniqueFd open_file(const std::filesystem::path& path, int flags) {
  UniqueFd fd(open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!fd) throw_errno(fmt::format("{} could not be opened", path.string()));
  return fd;
}

/// Calls `take(bytes)` for the file's pieces in order.
template <typename Take>
void for_each_piece(const std::filesystem::path& path, Take take) {
  const UniqueFd fd = open_file(path, O_RDONLY);
  const auto piece = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  for (;;) {
    const ssize_t count = read(fd.get(), piece.get(), kPieceBytes);
    if (count < 0) {
      throw_errno(fmt::format("{} could not be read", path.string()));
    }
    if (count == 0) return;
    take(std::string_view(piece.get(), static_cast<size_t>(count)));
  }
}

void write_all(int fd, const std::filesystem::path& path,
               std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0) {
      throw_errno(fmt::format("{} could not be written", path.string()));
    }
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void add(std::string_view bytes) {
    EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  }
  std::string hex() {
    std::array<unsigned char, 32> digest{};
    EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
    std::string text;
    for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::string text;
  for_each_piece(path, [&](std::string_view piece) { text += piece; });
  return text;
}

std::optional<std::string> try_read_file(const std::filesystem::path& path) {
  try {
    return read_file(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string sha256_of_file(const std::filesystem::path& path) {
  Sha256 hash;
  for_each_piece(path, [&](std::string_view piece) { hash.add(piece); });
  return hash.hex();
}

std::string sha256_of_text(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.hex();
}

void sync_directory(const std::filesystem::path& directory) {
  const UniqueFd fd =
      open_file(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY);
  if (fsync(fd.get()) != 0) {
    throw_errno(fmt::format("{} could not be synced", directory.string()));
  }
}

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)),
      temporary_(path_.string() + fmt::format(".tmp{}", getpid())),
      fd_(open_file(temporary_, O_WRONLY | O_CREAT | O_TRUNC)) {}

AtomicFile::~AtomicFile() {
  if (!committed_) unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  write_all(fd_.get(), temporary_, bytes);
}

void AtomicFile::commit() {
  if (fsync(fd_.get()) != 0) {
    throw_errno(fmt::format("{} could not be synced", temporary_.string()));
  }
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw_errno(fmt::format("{} could not be renamed to {}",
                            temporary_.string(), path_.string()));
  }
  committed_ = true;
  sync_directory(path_.parent_path());
}

DurableLines::DurableLines(std::filesystem::path path, UniqueFd fd)
    : path_(std::move(path)), fd_(std::move(fd)) {}

DurableLines DurableLines::create(const std::filesystem::path& path) {
  UniqueFd fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND);
  sync_directory(path.parent_path());
  return {path, std::move(fd)};
}

DurableLines DurableLines::open(const std::filesystem::path& path) {
  return {path, open_file(path, O_WRONLY | O_APPEND)};
}

void DurableLines::append(std::string_view line) {
  const off_t end = lseek(fd_.get(), 0, SEEK_END);
  try {
    write_all(fd_.get(), path_, std::string(line) + "\n");
    if (fdatasync(fd_.get()) != 0) {
      throw_errno(fmt::format("{} could not be synced", path_.string()));
    }
  } catch (const Error&) {
    // The next line must not run into what was written of this one.
    (void)!ftruncate(fd_.get(), end);
    throw;
  }
}

FileLock::FileLock(std::filesystem::path path, UniqueFd fd)
    : path_(std::move(path)), fd_(std::move(fd)) {}

FileLock::~FileLock() {
  if (fd_) unlink(path_.c_str());
}

std::optional<FileLock> FileLock::try_acquire(
    const std::filesystem::path& path) {
  for (;;) {
    UniqueFd fd = open_file(path, O_RDWR | O_CREAT);
    if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return std::nullopt;
      throw_errno(fmt::format("{} could not be locked", path.string()));
    }
    // The holder before us removes the file as it lets go: then we locked a
    // file that no longer has this name, and must try again.
    struct stat ours {};
    struct stat named {};
    if (fstat(fd.get(), &ours) == 0 && stat(path.c_str(), &named) == 0 &&
        ours.st_ino == named.st_ino && ours.st_dev == named.st_dev) {
      return FileLock(path, std::move(fd));
    }
  }
}

}  // namespace sidegrade::base
