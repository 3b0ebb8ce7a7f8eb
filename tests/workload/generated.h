#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "workload/generator.h"

namespace sidegrade::workload {

/// What generate_data hands out, in one piece.
inline std::string generated(const GeneratorSpec& spec, double scale,
                             uint64_t seed, std::string_view trailer = "") {
  std::string text;
  generate_data(spec, scale, seed, trailer,
                [&](std::string_view piece) { text += piece; });
  return text;
}

using Rows = std::vector<std::vector<std::string>>;

/// The rows of each COPY block, fields still escaped.
inline std::map<std::string, Rows> generated_rows(const GeneratorSpec& spec,
                                                  double scale, uint64_t seed) {
  std::map<std::string, Rows> tables;
  Rows* rows = nullptr;
  for (const std::string& line :
       base::split(generated(spec, scale, seed), '\n')) {
    if (line.starts_with("COPY ")) {
      rows = &tables[base::split(line, ' ')[1]];
    } else if (line == "\\.") {
      rows = nullptr;
    } else if (rows != nullptr) {
      rows->push_back(base::split(line, '\t'));
    }
  }
  return tables;
}

inline Rows rows_of(const std::string& table, const GeneratorSpec& spec,
                    double scale = 1) {
  return generated_rows(spec, scale, 1).at(table);
}

/// A spec of one table `t.rows` with one column `value`.
inline GeneratorSpec one_column(int64_t rows, ColumnKind kind,
                                int null_percent = 0) {
  return {{{"odd", {"tab\there", "back\\slash", "say \"hi\"", "line\nbreak"}}},
          {{"t.rows",
            rows,
            false,
            std::nullopt,
            "",
            {{"value", std::move(kind), null_percent}}}}};
}

/// The values of that column.
inline std::vector<std::string> values(const GeneratorSpec& spec) {
  std::vector<std::string> found;
  for (const auto& row : rows_of("t.rows", spec)) {
    found.push_back(row.at(0));
  }
  return found;
}

}  // namespace sidegrade::workload
