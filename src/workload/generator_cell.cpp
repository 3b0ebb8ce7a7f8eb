#include "workload/generator_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "base/error.h"
#include "base/text.h"

namespace sidegrade::workload {
namespace {

constexpr uint64_t kWidest = uint64_t{1} << 32;

void append_number(uint64_t value, std::string& out) {
  std::array<char, 20> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void append_signed(int64_t value, std::string& out) {
  if (value < 0) out += '-';
  append_number(static_cast<uint64_t>(value < 0 ? -value : value), out);
}

void append_padded(uint64_t value, size_t width, std::string& out) {
  std::array<char, 20> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  const auto size = static_cast<size_t>(end - digits.data());
  if (size < width) out.append(width - size, '0');
  out.append(digits.data(), size);
}

void append_hex(uint64_t bits, size_t width, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (size_t i = 0; i < width; ++i, bits >>= 4) out += kDigits[bits & 15];
}

char* put_digits(char* at, unsigned value, int width) {
  for (int i = width - 1; i >= 0; --i, value /= 10) {
    at[i] = static_cast<char>('0' + value % 10);
  }
  return at + width;
}

/// "2024-03-05 14:07:09.123456+00", years 1000 to 9999.
void append_timestamp(int64_t second, unsigned microsecond, std::string& out) {
  using std::chrono::days;
  using std::chrono::floor;
  const std::chrono::sys_seconds time{std::chrono::seconds(second)};
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date{day};
  const auto of_day = static_cast<unsigned>((time - day).count());
  std::array<char, 29> text;
  char* at = text.data();
  at = put_digits(at, static_cast<unsigned>(int{date.year()}), 4);
  *at++ = '-';
  at = put_digits(at, unsigned{date.month()}, 2);
  *at++ = '-';
  at = put_digits(at, unsigned{date.day()}, 2);
  *at++ = ' ';
  at = put_digits(at, of_day / 3600, 2);
  *at++ = ':';
  at = put_digits(at, of_day / 60 % 60, 2);
  *at++ = ':';
  at = put_digits(at, of_day % 60, 2);
  *at++ = '.';
  at = put_digits(at, microsecond, 6);
  std::copy_n("+00", 3, at);
  out.append(text.data(), text.size());
}

std::string escape_for_copy(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\\':
        escaped += "\\\\";
        break;
      case '\b':
        escaped += "\\b";
        break;
      case '\f':
        escaped += "\\f";
        break;
      case '\n':
        escaped += "\\n";
        break;
      case '\r':
        escaped += "\\r";
        break;
      case '\t':
        escaped += "\\t";
        break;
      case '\v':
        escaped += "\\v";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string escape_for_json(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string escape_for_array(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// Where a value stands decides how its text is escaped.
enum class Setting { kColumn, kJson };

std::string escape(std::string_view text, Setting setting) {
  return escape_for_copy(setting == Setting::kJson ? escape_for_json(text)
                                                   : std::string(text));
}

struct Context {
  const GeneratorSpec& spec;
  const TableSpec& table;
  const std::map<std::string, int64_t>& rows;
  uint64_t seed;
};

uint64_t column_key(const Context& context, const std::string& path) {
  return mix(context.seed ^ hash_name(context.table.name + "." + path));
}

uint64_t rows_of_table(const Context& context) {
  return static_cast<uint64_t>(context.rows.at(context.table.name));
}

/// Makes one column ready; `path_` is its name, with those of the JSON objects
/// around it.
class Compiler {
 public:
  Compiler(const Context& context, std::string path, Setting setting)
      : context_(context), path_(std::move(path)), setting_(setting) {}

  Cell compile(const ColumnSpec& column) const;

  PlaceKind operator()(const PlaceKind& kind) const;
  SpreadCell operator()(const SpreadKind& kind) const;
  IntegerCell operator()(const IntegerKind& kind) const;
  ReferenceCell operator()(const ReferenceKind& kind) const;
  DecimalCell operator()(const DecimalKind& kind) const;
  TimestampCell operator()(const TimestampKind& kind) const;
  AfterCell operator()(const AfterKind& kind) const;
  WordsCell operator()(const WordsKind& kind) const;
  ArrayCell operator()(const ArrayKind& kind) const;
  ChoiceCell operator()(const ChoiceKind& kind) const;
  CycleCell operator()(const CycleKind& kind) const;
  PatternCell operator()(const PatternKind& kind) const;
  BooleanCell operator()(const BooleanKind& kind) const;
  JsonCell operator()(const JsonKind& kind) const;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  Span span(int64_t min, int64_t max) const;
  Span count(const CountRange& range) const;
  uint64_t keys(const std::string& table) const;
  const std::vector<std::string>& vocabulary(const std::string& name) const;
  Lexicon lexicon(const std::vector<std::string>& texts) const;
  PatternCell::Piece pattern_field(std::string_view field) const;
  bool writes_text(const ColumnKind& kind) const;

  const Context& context_;
  std::string path_;
  Setting setting_;
};

void Compiler::fail(const std::string& what) const {
  throw base::Error(
      fmt::format("column {} of table {} {}", path_, context_.table.name, what),
      "Correct the schema's generator settings.");
}

Span Compiler::span(int64_t min, int64_t max) const {
  if (max < min) fail("has a range whose end is before its beginning");
  const uint64_t span =
      static_cast<uint64_t>(max) - static_cast<uint64_t>(min) + 1;
  if (span == 0 || span > kWidest) {
    fail("has a range of more than 2^32 values");
  }
  return {min, span};
}

Span Compiler::count(const CountRange& range) const {
  if (range.min < 0) fail("has a negative count");
  return span(range.min, range.max);
}

uint64_t Compiler::keys(const std::string& table) const {
  const auto found = context_.rows.find(table);
  if (found == context_.rows.end()) {
    fail("refers to the unknown table " + table);
  }
  if (found->second == 0 && rows_of_table(context_) > 0) {
    fail("refers to table " + table + ", which has no rows");
  }
  return static_cast<uint64_t>(found->second);
}

const std::vector<std::string>& Compiler::vocabulary(
    const std::string& name) const {
  const auto found = context_.spec.vocabularies.find(name);
  if (found == context_.spec.vocabularies.end()) {
    fail("takes words of the unknown vocabulary " + name);
  }
  return found->second;
}

Lexicon Compiler::lexicon(const std::vector<std::string>& texts) const {
  if (texts.empty()) fail("has an empty list of texts");
  Lexicon lexicon;
  for (const std::string& text : texts) lexicon.add(escape(text, setting_));
  return lexicon;
}

PlaceKind Compiler::operator()(const PlaceKind& kind) const {
  if (kind.of != PlaceKind::Of::kRow && !context_.table.per) {
    fail("numbers a parent, and the table has none");
  }
  return kind;
}

SpreadCell Compiler::operator()(const SpreadKind& kind) const {
  return {keys(kind.table), rows_of_table(context_)};
}

IntegerCell Compiler::operator()(const IntegerKind& kind) const {
  return {span(kind.min, kind.max)};
}

ReferenceCell Compiler::operator()(const ReferenceKind& kind) const {
  if (kind.skew < 1 || kind.skew > 4) fail("has a skew that is not 1 to 4");
  return {keys(kind.table), kind.skew};
}

DecimalCell Compiler::operator()(const DecimalKind& kind) const {
  if (kind.digits < 1 || kind.digits > 9) {
    fail("has not 1 to 9 digits behind the point");
  }
  return {span(kind.min, kind.max), kind.digits};
}

TimestampCell Compiler::operator()(const TimestampKind& kind) const {
  return {span(kind.from_s, kind.to_s - 1),
          kind.increasing ? rows_of_table(context_) : 0};
}

AfterCell Compiler::operator()(const AfterKind& kind) const {
  // The fractions of both seconds are drawn apart, so less would not be after.
  if (kind.seconds.min < 1) fail("must come at least one second after");
  const auto& columns = context_.table.columns;
  const auto base = std::ranges::find(columns, kind.column, &ColumnSpec::name);
  const auto* time =
      base == columns.end() ? nullptr : std::get_if<TimestampKind>(&base->kind);
  if (time == nullptr) {
    fail("comes after " + kind.column + ", which is no timestamp column");
  }
  return {column_key(context_, kind.column), base->null_percent, (*this)(*time),
          count(kind.seconds)};
}

WordsCell Compiler::operator()(const WordsKind& kind) const {
  return {lexicon(vocabulary(kind.vocabulary)), count(kind.count)};
}

ArrayCell Compiler::operator()(const ArrayKind& kind) const {
  const bool json = setting_ == Setting::kJson;
  Lexicon elements;
  for (const std::string& word : vocabulary(kind.vocabulary)) {
    const std::string element =
        json ? escape_for_json(word) : escape_for_array(word);
    elements.add(escape_for_copy('"' + element + '"'));
  }
  if (elements.size() == 0) fail("has an empty list of texts");
  return {elements, count(kind.count), json ? '[' : '{', json ? ']' : '}'};
}

ChoiceCell Compiler::operator()(const ChoiceKind& kind) const {
  Lexicon values;
  for (const auto& [text, weight] : kind.values) {
    if (weight < 1 || weight > 10000) {
      fail("has a weight that is not 1 to 10000");
    }
    values.add(escape(text, setting_), weight);
  }
  if (values.size() == 0) fail("has an empty list of texts");
  return {values};
}

CycleCell Compiler::operator()(const CycleKind& kind) const {
  return {lexicon(kind.values)};
}

PatternCell::Piece Compiler::pattern_field(std::string_view field) const {
  using Kind = PatternCell::Piece::Kind;
  const std::vector<std::string> parts = base::split(field, ':');
  const std::string detail = parts.size() == 2 ? parts[1] : "";
  if (parts[0] == "word" && parts.size() == 2) {
    return {Kind::kWord, "", 0, 0, lexicon(vocabulary(detail))};
  }
  size_t width = 0;
  const auto parsed =
      std::from_chars(detail.data(), detail.data() + detail.size(), width);
  const bool whole = parsed.ptr == detail.data() + detail.size();
  if (parts[0] == "row" && parts.size() <= 2 && whole && width <= 19) {
    return {Kind::kRow, "", width, 0, {}};
  }
  if (parts[0] == "number" && whole && width >= 1 && width <= 9) {
    uint64_t bound = 1;
    for (size_t i = 0; i < width; ++i) bound *= 10;
    return {Kind::kNumber, "", width, bound, {}};
  }
  if (parts[0] == "hex" && whole && width >= 1 && width <= 16) {
    return {Kind::kHex, "", width, 0, {}};
  }
  fail(fmt::format("has the unknown pattern field {{{}}}", field));
}

PatternCell Compiler::operator()(const PatternKind& kind) const {
  PatternCell cell;
  std::string_view rest = kind.pattern;
  while (!rest.empty()) {
    const size_t open = rest.find('{');
    if (open > 0) {
      cell.pieces.push_back({PatternCell::Piece::Kind::kText,
                             escape(rest.substr(0, open), setting_),
                             0,
                             0,
                             {}});
    }
    if (open == std::string_view::npos) break;
    const size_t close = rest.find('}', open);
    if (close == std::string_view::npos) {
      fail("has a pattern with a brace that is not closed");
    }
    cell.pieces.push_back(
        pattern_field(rest.substr(open + 1, close - open - 1)));
    rest.remove_prefix(close + 1);
  }
  return cell;
}

BooleanCell Compiler::operator()(const BooleanKind& kind) const {
  const auto percent = static_cast<uint64_t>(kind.true_percent);
  if (setting_ == Setting::kJson) return {percent, "true", "false"};
  return {percent, "t", "f"};
}

JsonCell Compiler::operator()(const JsonKind& kind) const {
  JsonCell cell;
  for (const ColumnSpec& field : kind.fields) {
    const Compiler inner(context_, path_ + "." + field.name, Setting::kJson);
    cell.fields.push_back(
        {fmt::format("{}\"{}\": ", cell.fields.empty() ? "" : ", ",
                     escape(field.name, Setting::kJson)),
         inner.compile(field)});
  }
  return cell;
}

bool Compiler::writes_text(const ColumnKind& kind) const {
  return std::visit(
      [](const auto& known) {
        using Kind = std::decay_t<decltype(known)>;
        return std::is_same_v<Kind, TimestampKind> ||
               std::is_same_v<Kind, AfterKind> ||
               std::is_same_v<Kind, WordsKind> ||
               std::is_same_v<Kind, ChoiceKind> ||
               std::is_same_v<Kind, CycleKind> ||
               std::is_same_v<Kind, PatternKind>;
      },
      kind);
}

Cell Compiler::compile(const ColumnSpec& column) const {
  if (column.null_percent < 0 || column.null_percent > 100) {
    fail("has a share of nulls that is not 0 to 100 %");
  }
  const bool json = setting_ == Setting::kJson;
  Cell cell;
  cell.key = column_key(context_, path_);
  cell.null_percent = static_cast<uint64_t>(column.null_percent);
  cell.null_text = json ? "null" : "\\N";
  cell.quoted = json && writes_text(column.kind);
  std::visit([&](const auto& kind) { cell.kind = (*this)(kind); }, column.kind);
  return cell;
}

bool draws_null(Draw& draw, uint64_t percent) {
  return percent > 0 && draw.below(100) < percent;
}

void write_cell(const Cell& cell, const RowPlace& place, std::string& out);

/// Writes the value of one cell, of whatever kind.
class Writer {
 public:
  Writer(const RowPlace& place, Draw& draw, std::string& out)
      : place_(place), draw_(draw), out_(out) {}

  void operator()(const PlaceKind& kind) {
    using Of = PlaceKind::Of;
    append_number(kind.of == Of::kRow      ? place_.row
                  : kind.of == Of::kParent ? place_.parent
                                           : place_.ordinal,
                  out_);
  }

  void operator()(const SpreadCell& cell) {
    append_number(1 + (place_.row - 1) * cell.keys / cell.rows, out_);
  }

  void operator()(const IntegerCell& cell) {
    append_signed(cell.range.draw(draw_), out_);
  }

  void operator()(const ReferenceCell& cell) {
    const uint64_t uniform = draw_.next_32();
    uint64_t skewed = uniform;
    for (int i = 1; i < cell.skew; ++i) skewed = (skewed * uniform) >> 32;
    append_number(1 + ((skewed * cell.keys) >> 32), out_);
  }

  void operator()(const DecimalCell& cell) {
    const int64_t value = cell.range.draw(draw_);
    if (value < 0) out_ += '-';
    append_padded(static_cast<uint64_t>(value < 0 ? -value : value),
                  static_cast<size_t>(cell.digits) + 1, out_);
    out_.insert(out_.size() - static_cast<size_t>(cell.digits), 1, '.');
  }

  void operator()(const TimestampCell& cell) {
    append_time(cell.second(place_.row, draw_));
  }

  void operator()(const AfterCell& cell) {
    Draw base_draw(cell.base_key, place_.row);
    draws_null(base_draw, static_cast<uint64_t>(cell.base_null_percent));
    append_time(cell.base.second(place_.row, base_draw) +
                cell.seconds.draw(draw_));
  }

  void operator()(const WordsCell& cell) {
    const int64_t count = cell.count.draw(draw_);
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ' ';
      out_ += cell.words.pick(draw_);
    }
  }

  void operator()(const ArrayCell& cell) {
    const int64_t count = cell.count.draw(draw_);
    out_ += cell.open;
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ',';
      out_ += cell.words.pick(draw_);
    }
    out_ += cell.close;
  }

  void operator()(const ChoiceCell& cell) { out_ += cell.values.pick(draw_); }

  void operator()(const CycleCell& cell) {
    out_ += cell.values.at((place_.row - 1) % cell.values.size());
  }

  void operator()(const PatternCell& cell) {
    for (const PatternCell::Piece& piece : cell.pieces) write_piece(piece);
  }

  void operator()(const BooleanCell& cell) {
    out_ += draw_.below(100) < cell.true_percent ? cell.if_true : cell.if_false;
  }

  void operator()(const JsonCell& cell) {
    out_ += '{';
    for (const JsonField& field : cell.fields) {
      out_ += field.lead;
      write_cell(field.cell, place_, out_);
    }
    out_ += '}';
  }

 private:
  void append_time(int64_t second) {
    append_timestamp(second, static_cast<unsigned>(draw_.below(1000000)), out_);
  }

  void write_piece(const PatternCell::Piece& piece) {
    switch (piece.kind) {
      case PatternCell::Piece::Kind::kText:
        out_ += piece.text;
        break;
      case PatternCell::Piece::Kind::kRow:
        append_padded(place_.row, piece.width, out_);
        break;
      case PatternCell::Piece::Kind::kNumber:
        append_padded(draw_.below(piece.bound), piece.width, out_);
        break;
      case PatternCell::Piece::Kind::kHex:
        append_hex(draw_.next(), piece.width, out_);
        break;
      case PatternCell::Piece::Kind::kWord:
        out_ += piece.words.pick(draw_);
        break;
    }
  }

  const RowPlace& place_;
  Draw& draw_;
  std::string& out_;
};

/// A time after one that is null is null too.
bool base_is_null(const Cell& cell, uint64_t row) {
  const auto* after = std::get_if<AfterCell>(&cell.kind);
  if (after == nullptr) return false;
  Draw draw(after->base_key, row);
  return draws_null(draw, static_cast<uint64_t>(after->base_null_percent));
}

void write_cell(const Cell& cell, const RowPlace& place, std::string& out) {
  Draw draw(cell.key, place.row);
  if (draws_null(draw, cell.null_percent) || base_is_null(cell, place.row)) {
    out += cell.null_text;
    return;
  }
  if (cell.quoted) out += '"';
  std::visit(Writer(place, draw, out), cell.kind);
  if (cell.quoted) out += '"';
}

}  // namespace

void Lexicon::add(std::string_view text, int times) {
  const Entry entry{static_cast<uint32_t>(block_.size()),
                    static_cast<uint32_t>(text.size())};
  block_ += text;
  entries_.insert(entries_.end(), static_cast<size_t>(times), entry);
}

int64_t TimestampCell::second(uint64_t row, Draw& draw) const {
  if (rows == 0) return seconds.draw(draw);
  const uint64_t begin = seconds.span * (row - 1) / rows;
  const uint64_t end = seconds.span * row / rows;
  const uint64_t jitter = draw.below(std::max<uint64_t>(end - begin, 1));
  return seconds.min + static_cast<int64_t>(begin + jitter);
}

std::vector<Cell> compile_cells(const GeneratorSpec& spec,
                                const TableSpec& table,
                                const std::map<std::string, int64_t>& rows,
                                uint64_t seed) {
  const Context context{spec, table, rows, mix(seed)};
  std::vector<Cell> cells;
  for (const ColumnSpec& column : table.columns) {
    cells.push_back(
        Compiler(context, column.name, Setting::kColumn).compile(column));
  }
  return cells;
}

void write_row(const std::vector<Cell>& cells, const RowPlace& place,
               std::string& out) {
  bool first = true;
  for (const Cell& cell : cells) {
    if (!first) out += '\t';
    first = false;
    write_cell(cell, place, out);
  }
  out += '\n';
}

}  // namespace sidegrade::workload
