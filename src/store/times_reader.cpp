#include "store/times_reader.h"

#include <charconv>

namespace sidegrade::store {
namespace {

/// Reads a line from left to right. What returns false has not found what it
/// was to read.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool take(std::string_view literal) {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }

  template <typename Number>
  bool number(Number& value) {
    const char* end = rest_.data() + rest_.size();
    const auto result = std::from_chars(rest_.data(), end, value);
    if (result.ec != std::errc()) return false;
    rest_.remove_prefix(static_cast<size_t>(result.ptr - rest_.data()));
    return true;
  }

  /// A string without escapes; one with them is left to the JSON library.
  bool text(std::string& value) {
    if (!take("\"")) return false;
    const size_t end = rest_.find_first_of("\"\\");
    if (end == std::string_view::npos || rest_[end] != '"') return false;
    value.assign(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return true;
  }

  /// "[a,b]" with `item()` called at the beginning of each.
  template <typename Item>
  bool list(Item item) {
    if (!take("[")) return false;
    if (take("]")) return true;
    do {
      if (!item()) return false;
    } while (take(","));
    return take("]");
  }

 private:
  std::string_view rest_;
};

bool read_texts(Cursor& in, std::vector<std::string>& texts) {
  return in.list([&] { return in.text(texts.emplace_back()); });
}

bool read_phases(Cursor& in, Sample& sample) {
  sample.phases.reserve(8);
  return in.list([&] { return in.text(sample.phases.emplace_back().name); });
}

/// One metric's values, a phase each.
bool read_column(Cursor& in, Sample& sample) {
  std::string name;
  if (!in.text(name) || !in.take(":")) return false;
  size_t phase = 0;
  const bool read = in.list([&] {
    if (phase == sample.phases.size()) return false;
    Metrics& metrics = sample.phases[phase++].metrics;
    if (in.take("null")) return true;
    // The writer sorts the names.
    const auto entry = metrics.emplace_hint(metrics.end(), name, 0);
    return in.number(entry->second);
  });
  return read && phase == sample.phases.size();
}

bool read_seconds(Cursor& in, Sample& sample) {
  if (!in.take("{")) return false;
  if (in.take("}")) return true;
  do {
    if (!read_column(in, sample)) return false;
  } while (in.take(","));
  return in.take("}");
}

}  // namespace

std::optional<Sample> read_times(std::string_view line) {
  Cursor in(line);
  Sample sample;
  const auto optional = [&](std::string_view name, auto read) {
    return !in.take(name) || read();
  };
  const bool read =
      line.ends_with('}') && in.take(R"({"record":"sample","trial":)") &&
      in.number(sample.trial) && in.take(R"(,"round":)") &&
      in.number(sample.round) &&
      optional(R"(,"warmup":true)", [&] { return sample.warmup = true; }) &&
      in.take(R"(,"target":)") && in.text(sample.target) &&
      in.take(R"(,"started_at":)") && in.text(sample.started_at) &&
      optional(R"(,"uptime_s":)", [&] { return in.number(sample.uptime_s); }) &&
      in.take(R"(,"phases":)") && read_phases(in, sample) &&
      in.take(R"(,"seconds":)") && read_seconds(in, sample) &&
      optional(R"(,"tables_sha256":)",
               [&] { return in.text(sample.tables_sha256); }) &&
      optional(R"(,"warnings":)",
               [&] { return read_texts(in, sample.warnings); }) &&
      in.take(R"(,"details":{)");
  if (!read) return std::nullopt;
  return sample;
}

}  // namespace sidegrade::store
