#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "workload/generator.h"
#include "workload/generator_draw.h"

namespace sidegrade::workload {

/// Where a row stands, each from 1; without a parent the latter two are 0.
struct RowPlace {
  uint64_t row = 0;
  uint64_t parent = 0;
  uint64_t ordinal = 0;
};

/// Texts in one block, already escaped for where they will stand. A text may
/// be listed more than once, which makes it more likely.
class Lexicon {
 public:
  void add(std::string_view text, int times = 1);
  size_t size() const { return entries_.size(); }
  std::string_view at(size_t index) const {
    const Entry& entry = entries_[index];
    return {block_.data() + entry.offset, entry.size};
  }
  std::string_view pick(Draw& draw) const {
    return at(draw.below(entries_.size()));
  }

 private:
  struct Entry {
    uint32_t offset;
    uint32_t size;
  };

  std::string block_;
  std::vector<Entry> entries_;
};

/// `min` and a number below `span` more.
struct Span {
  int64_t min = 0;
  uint64_t span = 1;

  int64_t draw(Draw& draw) const {
    return min + static_cast<int64_t>(draw.below(span));
  }
};

struct SpreadCell {
  uint64_t keys;
  uint64_t rows;
};

struct IntegerCell {
  Span range;
};

struct ReferenceCell {
  uint64_t keys;
  int skew;
};

struct DecimalCell {
  Span range;
  int digits;
};

struct TimestampCell {
  Span seconds;
  uint64_t rows;  ///< 0: uniform

  int64_t second(uint64_t row, Draw& draw) const;
};

struct AfterCell {
  uint64_t base_key;
  int base_null_percent;
  TimestampCell base;
  Span seconds;
};

struct WordsCell {
  Lexicon words;
  Span count;
};

struct ArrayCell {
  Lexicon words;
  Span count;
  char open;
  char close;
};

struct ChoiceCell {
  Lexicon values;
};

struct CycleCell {
  Lexicon values;
};

struct PatternCell {
  struct Piece {
    enum class Kind { kText, kRow, kNumber, kHex, kWord };
    Kind kind;
    std::string text;
    size_t width;
    uint64_t bound;  ///< of kNumber: ten to the width
    Lexicon words;
  };
  std::vector<Piece> pieces;
};

struct BooleanCell {
  uint64_t true_percent;
  std::string_view if_true;
  std::string_view if_false;
};

struct JsonField;

struct JsonCell {
  std::vector<JsonField> fields;
};

/// A column made ready: names resolved, texts escaped, ranges as spans.
struct Cell {
  uint64_t key = 0;
  uint64_t null_percent = 0;
  std::string_view null_text;
  bool quoted = false;  ///< in double quotes, as text in JSON is
  std::variant<PlaceKind, SpreadCell, IntegerCell, ReferenceCell, DecimalCell,
               TimestampCell, AfterCell, WordsCell, ArrayCell, ChoiceCell,
               CycleCell, PatternCell, BooleanCell, JsonCell>
      kind;
};

struct JsonField {
  std::string lead;  ///< what stands before the value: `, "name": `
  Cell cell;
};

/// Makes the columns of `table` ready. Throws Error as check() says.
std::vector<Cell> compile_cells(const GeneratorSpec& spec,
                                const TableSpec& table,
                                const std::map<std::string, int64_t>& rows,
                                uint64_t seed);

/// Appends one line of COPY's text format.
void write_row(const std::vector<Cell>& cells, const RowPlace& place,
               std::string& out);

}  // namespace sidegrade::workload
