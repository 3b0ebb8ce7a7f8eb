#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "store/record.h"
#include "store/store.h"

namespace sidegrade::store {

/// The lines of a results file, without their newlines; docs/results-format.md
/// is the contract.
inline constexpr int kFormatVersion = 1;

std::string header_line(const RunHeader& header);
std::string record_line(const Sample& sample);
std::string record_line(const Note& note);

/// Thrown for the header of a file that a later sidegrade wrote.
class NewerFormat : public base::Error {
 public:
  explicit NewerFormat(int version);
  int version() const { return version_; }

 private:
  int version_;
};

/// Throws NewerFormat, or Error if the line isn't a header.
RunHeader parse_header(std::string_view line);

/// The kind of a record that this version doesn't know.
struct UnknownRecord {
  std::string kind;
};

using Record = std::variant<Sample, Note, UnknownRecord>;

/// Throws Error if the line isn't a record. With kTimes, the details of a
/// sample are not looked at.
Record parse_record(std::string_view line, Detail detail);

/// The fingerprint that Sample::tables_sha256 holds.
std::string tables_sha256(const std::vector<TableCheck>& tables);

}  // namespace sidegrade::store
