#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace sidegrade::base {

/// The whole file. Throws Error naming it.
std::string read_file(const std::filesystem::path& path);

/// The whole file, or nothing if it can't be read: for /proc and /sys, where a
/// file's absence is an answer.
std::optional<std::string> try_read_file(const std::filesystem::path& path);

/// The SHA-256 of a file's bytes as 64 hexadecimal digits.
std::string sha256_of_file(const std::filesystem::path& path);
std::string sha256_of_text(std::string_view text);

/// Makes a rename or creation in `directory` survive a power failure.
void sync_directory(const std::filesystem::path& directory);

/// A file that appears whole or not at all: written beside `path`, published by
/// commit() (fsync, rename, fsync of the folder); the destructor discards it.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  UniqueFd fd_;
  bool committed_ = false;
};

/// A file of lines that only grows: each append is one write and one fdatasync.
class DurableLines {
 public:
  /// Creates it; throws Error if it exists already or can't be written.
  static DurableLines create(const std::filesystem::path& path);
  /// Goes on with an existing one.
  static DurableLines open(const std::filesystem::path& path);

  /// `line` has no newline of its own. Throws Error naming the file, which then
  /// holds nothing of the line.
  void append(std::string_view line);
  const std::filesystem::path& path() const { return path_; }
  int fd() const { return fd_.get(); }

 private:
  DurableLines(std::filesystem::path path, UniqueFd fd);

  std::filesystem::path path_;
  UniqueFd fd_;
};

/// An exclusive lock that lasts as long as the object, or the process; its file
/// is removed with it.
class FileLock {
 public:
  /// Nothing if another holder has it. Throws Error if `path` can't be made.
  static std::optional<FileLock> try_acquire(const std::filesystem::path& path);

  FileLock(FileLock&&) = default;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  FileLock(std::filesystem::path path, UniqueFd fd);

  std::filesystem::path path_;
  UniqueFd fd_;
};

}  // namespace sidegrade::base
