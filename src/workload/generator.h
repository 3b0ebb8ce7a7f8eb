#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sidegrade::workload {

/// How many, from `min` to `max`, both included.
struct CountRange {
  int64_t min = 1;
  int64_t max = 1;
};

/// A number that the row has by its place: its own, its parent's, or its place
/// among its parent's children; each from 1.
struct PlaceKind {
  enum class Of { kRow, kParent, kOrdinal };
  Of of = Of::kRow;
};

/// The keys of `table` in order, each for an equal share of the rows.
struct SpreadKind {
  std::string table;
};

struct IntegerKind {
  int64_t min = 0;
  int64_t max = 0;
};

/// A key of `table`, whose keys are its row numbers. Skew 1 is uniform; with
/// skew k the first share q of the keys is met by the k-th root of q of the
/// rows (k = 2: 1 % of the keys by 10 % of the rows).
struct ReferenceKind {
  std::string table;
  int skew = 1;
};

/// A number with `digits` behind the point; the bounds are in its last digit.
struct DecimalKind {
  int64_t min = 0;
  int64_t max = 0;
  int digits = 2;
};

/// A time in [from, to), seconds since 1970 in UTC; increasing ones grow with
/// the row number (those of one second are in any order).
struct TimestampKind {
  int64_t from_s = 0;
  int64_t to_s = 0;
  bool increasing = false;
};

/// The time in another timestamp column of the row and so many seconds more, at
/// least one; null where that is null.
struct AfterKind {
  std::string column;
  CountRange seconds;
};

/// Words of a vocabulary, separated by spaces.
struct WordsKind {
  std::string vocabulary;
  CountRange count;
};

/// Words of a vocabulary as a text[]; a list inside of JSON.
struct ArrayKind {
  std::string vocabulary;
  CountRange count;
};

/// One of the values, each drawn as often as its weight says.
struct ChoiceKind {
  struct Value {
    std::string text;
    int weight = 1;
  };
  std::vector<Value> values;
};

/// The values in order, from the first again after the last.
struct CycleKind {
  std::vector<std::string> values;
};

/// Text with fields in braces: {row} and {row:8} (the row number, with zeros to
/// 8 digits), {number:6} (6 digits, at most 9), {hex:12} (at most 16),
/// {word:colours} (a word of that vocabulary).
struct PatternKind {
  std::string pattern;
};

struct BooleanKind {
  int true_percent = 50;
};

struct ColumnSpec;

/// An object with these fields.
struct JsonKind {
  std::vector<ColumnSpec> fields;
};

using ColumnKind =
    std::variant<PlaceKind, SpreadKind, IntegerKind, ReferenceKind, DecimalKind,
                 TimestampKind, AfterKind, WordsKind, ArrayKind, ChoiceKind,
                 CycleKind, PatternKind, BooleanKind, JsonKind>;

struct ColumnSpec {
  std::string name;
  ColumnKind kind;
  int null_percent = 0;
};

/// Child rows: `count` of them for each row of `table`, drawn by the parent's
/// number alone.
struct ParentSpec {
  std::string table;
  CountRange count;
};

struct TableSpec {
  std::string name;    ///< qualified: shop.orders
  int64_t rows = 0;    ///< of one unit of scale, without a parent
  bool fixed = false;  ///< the rows don't grow with the scale
  std::optional<ParentSpec> per;
  std::string sequence;  ///< set to the number of rows; empty: none
  std::vector<ColumnSpec> columns;
};

/// The data of a schema, as tables in the order in which they are written.
struct GeneratorSpec {
  std::map<std::string, std::vector<std::string>> vocabularies;
  std::vector<TableSpec> tables;
};

/// The rows of each table by its qualified name, for any seed. A table that
/// grows has rows × scale, rounded half up, yet at least one (none if its rows
/// are 0). Throws Error if the scale is not above zero, or a table would get
/// more rows than 32 bits number.
std::map<std::string, int64_t> row_counts(const GeneratorSpec& spec,
                                          double scale);

/// Writes a dump that psql can load: COPY blocks of all tables, then the values
/// of the sequences, then `trailer` (constraints and indexes). `sink` gets it
/// in order, in pieces of about 1 MiB, valid during the call. The same spec,
/// scale, seed and trailer give the same bytes on any machine: nothing but
/// integers reaches them. Throws Error as row_counts and check do.
void generate_data(const GeneratorSpec& spec, double scale, uint64_t seed,
                   std::string_view trailer,
                   const std::function<void(std::string_view)>& sink);

/// Throws Error naming the table and column if data can't be made of it: an
/// unknown table, vocabulary or column, an empty list, a range that is reversed
/// or wider than 32 bits, a malformed pattern.
void check(const GeneratorSpec& spec);

}  // namespace sidegrade::workload
