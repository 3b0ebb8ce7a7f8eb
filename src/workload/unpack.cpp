#include "workload/unpack.h"

#include <archive.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "workload/cache.h"

namespace sidegrade::workload {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr size_t kPieceBytes = 1 << 20;
constexpr std::string_view kGzip = "\x1f\x8b"sv;
/// What files of each compression begin with: gzip, zstd, xz, lz4, bzip2.
constexpr std::array kMagics = {kGzip, "\x28\xb5\x2f\xfd"sv,
                                "\xfd\x37zXZ\x00"sv, "\x04\x22\x4d\x18"sv,
                                "BZh"sv};

std::string first_bytes(const fs::path& file) {
  std::array<char, 8> bytes{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<size_t>(stream.gcount())};
}

[[noreturn]] void fail(const fs::path& source, std::string_view reason) {
  throw base::Error(
      fmt::format("{} could not be decompressed: {}", source.string(), reason),
      "It was cut short or damaged; copy it anew from where it was made.");
}

/// libarchive passes over gzip's checksums, so gzip itself tests the file.
void check_gzip(const fs::path& source, const base::Interrupt& interrupt) {
  constexpr int kWarning = 2;  // something else follows the data
  if (!first_bytes(source).starts_with(kGzip)) return;
  const base::Output output = base::run(
      {.argv = {"gzip", "--test"}, .input = source},
      {.timeout = std::chrono::hours(24 * 7), .interrupt = &interrupt});
  if (output.status.success() || output.status.code == kWarning) return;
  fail(source, base::trim(output.err));
}

/// The decompressed bytes of one file, from front to back.
class Decompressor {
 public:
  explicit Decompressor(const fs::path& file)
      : file_(file), archive_(archive_read_new(), archive_read_free) {
    archive* handle = archive_.get();
    archive_read_support_format_raw(handle);
    archive_read_support_filter_gzip(handle);
    archive_read_support_filter_zstd(handle);
    archive_read_support_filter_xz(handle);
    archive_read_support_filter_lz4(handle);
    archive_read_support_filter_bzip2(handle);
    archive_entry* entry = nullptr;
    if (archive_read_open_filename(handle, file.c_str(), kPieceBytes) !=
            ARCHIVE_OK ||
        archive_read_next_header(handle, &entry) != ARCHIVE_OK) {
      stop();
    }
  }

  /// The next bytes, valid until the next call; empty at the end.
  std::string_view next() {
    const auto count =
        archive_read_data(archive_.get(), buffer_.get(), kPieceBytes);
    if (count < 0) stop();
    return {buffer_.get(), static_cast<size_t>(count)};
  }

 private:
  [[noreturn]] void stop() const {
    const char* reason = archive_error_string(archive_.get());
    fail(file_, reason == nullptr ? "its data are damaged" : reason);
  }

  fs::path file_;
  std::unique_ptr<archive, decltype(&archive_read_free)> archive_;
  std::unique_ptr<char[]> buffer_ =
      std::make_unique_for_overwrite<char[]>(kPieceBytes);
};

}  // namespace

bool is_compressed(const fs::path& file) {
  const std::string begin = first_bytes(file);
  return std::any_of(
      kMagics.begin(), kMagics.end(),
      [&](std::string_view magic) { return begin.starts_with(magic); });
}

fs::path unpacked_file(const fs::path& source, const fs::path& cache) {
  return cache / (cache_name(source, "unpacked") + ".sql");
}

fs::path unpack(const fs::path& source, const fs::path& cache,
                const base::Interrupt& interrupt) {
  fs::path file = unpacked_file(source, cache);
  if (is_whole(file)) return file;
  make_cache(cache);
  check_gzip(source, interrupt);
  Decompressor input(source);
  base::AtomicFile output(file);
  for (auto piece = input.next(); !piece.empty(); piece = input.next()) {
    interrupt.check();
    output.write(piece);
  }
  output.commit();
  note_whole(file);
  return file;
}

}  // namespace sidegrade::workload
