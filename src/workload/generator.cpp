#include "workload/generator.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "workload/generator_cell.h"
#include "workload/generator_draw.h"

namespace sidegrade::workload {
namespace {

constexpr int64_t kMaxRows = (int64_t{1} << 32) - 1;
constexpr size_t kPiece = size_t{1} << 20;

/// How many children each row of the parent has. The seed is left out, so that
/// row counts depend on the scale alone.
class Children {
 public:
  explicit Children(const TableSpec& table)
      : key_(hash_name(table.name)),
        min_(static_cast<uint64_t>(table.per->count.min)),
        span_(static_cast<uint64_t>(table.per->count.max) - min_ + 1) {}

  uint64_t of(uint64_t parent) const {
    return span_ == 1 ? min_ : min_ + Draw(key_, parent).below(span_);
  }

 private:
  uint64_t key_;
  uint64_t min_;
  uint64_t span_;
};

int64_t checked_rows(const TableSpec& table, double scale, int64_t rows) {
  if (rows >= 0 && rows <= kMaxRows) return rows;
  throw base::Error(
      fmt::format("table {} would get more rows than 32 bits number at scale "
                  "{}",
                  table.name, scale),
      "Choose a smaller scale.");
}

int64_t own_rows(const TableSpec& table, double scale) {
  if (table.fixed || table.rows == 0) return checked_rows(table, 1, table.rows);
  const double scaled = static_cast<double>(table.rows) * scale;
  if (scaled > static_cast<double>(kMaxRows)) {
    return checked_rows(table, scale, -1);
  }
  return std::max<int64_t>(std::llround(scaled), 1);
}

int64_t child_rows(const TableSpec& table, double scale,
                   const std::map<std::string, int64_t>& counts) {
  const auto& [parent, count] = *table.per;
  const auto found = counts.find(parent);
  if (found == counts.end()) {
    throw base::Error(
        fmt::format("table {} has rows per {}, which is no table before it",
                    table.name, parent),
        "Write the parent's table above it in the generator settings.");
  }
  if (count.min < 0 || count.max < count.min || count.max > kMaxRows) {
    throw base::Error(fmt::format("table {} has no proper count of rows per {}",
                                  table.name, parent),
                      "Give a count such as 1..7 in the generator settings.");
  }
  const Children children(table);
  int64_t rows = 0;
  for (int64_t i = 1; i <= found->second && rows <= kMaxRows; ++i) {
    rows += static_cast<int64_t>(children.of(static_cast<uint64_t>(i)));
  }
  return checked_rows(table, scale, rows);
}

/// Collects text and hands it on in pieces.
class Output {
 public:
  explicit Output(const std::function<void(std::string_view)>& sink)
      : sink_(sink) {
    text_.reserve(kPiece + kPiece / 8);
  }

  std::string& text() { return text_; }
  void flush_if_full() {
    if (text_.size() >= kPiece) flush();
  }
  void flush() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }

 private:
  const std::function<void(std::string_view)>& sink_;
  std::string text_;
};

void write_rows(const TableSpec& table, const std::vector<Cell>& cells,
                const std::map<std::string, int64_t>& counts, Output& out) {
  const auto count_of = [&](const std::string& name) {
    return static_cast<uint64_t>(counts.at(name));
  };
  RowPlace place;
  if (!table.per) {
    const uint64_t rows = count_of(table.name);
    while (place.row < rows) {
      ++place.row;
      write_row(cells, place, out.text());
      out.flush_if_full();
    }
    return;
  }
  const Children children(table);
  const uint64_t parents = count_of(table.per->table);
  for (place.parent = 1; place.parent <= parents; ++place.parent) {
    const uint64_t siblings = children.of(place.parent);
    for (place.ordinal = 1; place.ordinal <= siblings; ++place.ordinal) {
      ++place.row;
      write_row(cells, place, out.text());
      out.flush_if_full();
    }
  }
}

void write_table(const GeneratorSpec& spec, const TableSpec& table,
                 const std::map<std::string, int64_t>& counts, uint64_t seed,
                 Output& out) {
  const std::vector<Cell> cells = compile_cells(spec, table, counts, seed);
  std::vector<std::string> names;
  for (const ColumnSpec& column : table.columns) names.push_back(column.name);
  out.text() += fmt::format("COPY {} ({}) FROM stdin;\n", table.name,
                            base::join(names, ", "));
  write_rows(table, cells, counts, out);
  out.text() += "\\.\n\n";
}

std::string sequence_statement(const TableSpec& table, int64_t rows) {
  return fmt::format("SELECT pg_catalog.setval('{}', {}, {});\n",
                     table.sequence, std::max<int64_t>(rows, 1), rows > 0);
}

}  // namespace

std::map<std::string, int64_t> row_counts(const GeneratorSpec& spec,
                                          double scale) {
  if (!(scale > 0) || !std::isfinite(scale)) {
    throw base::Error(fmt::format("the scale {} is not above zero", scale),
                      "Give a scale such as 1 or 0.5.");
  }
  std::map<std::string, int64_t> counts;
  for (const TableSpec& table : spec.tables) {
    const int64_t rows =
        table.per ? child_rows(table, scale, counts) : own_rows(table, scale);
    if (!counts.emplace(table.name, rows).second) {
      throw base::Error(fmt::format("table {} is there twice", table.name),
                        "Give each table of the generator once.");
    }
  }
  return counts;
}

void generate_data(const GeneratorSpec& spec, double scale, uint64_t seed,
                   std::string_view trailer,
                   const std::function<void(std::string_view)>& sink) {
  const auto counts = row_counts(spec, scale);
  Output out(sink);
  out.text() +=
      "SET client_encoding = 'UTF8';\n"
      "SET standard_conforming_strings = on;\n"
      "SET client_min_messages = warning;\n\n";
  for (const TableSpec& table : spec.tables) {
    write_table(spec, table, counts, seed, out);
  }
  for (const TableSpec& table : spec.tables) {
    if (table.sequence.empty()) continue;
    out.text() += sequence_statement(table, counts.at(table.name));
  }
  out.text() += '\n';
  out.text() += trailer;
  out.flush();
}

void check(const GeneratorSpec& spec) {
  const auto counts = row_counts(spec, 1);
  for (const TableSpec& table : spec.tables) {
    compile_cells(spec, table, counts, 0);
  }
}

}  // namespace sidegrade::workload
