#include "postgres/statement_batch.h"

#include <algorithm>
#include <cstring>

#include "script/sql_words.h"

namespace sidegrade::postgres {
namespace {

/// Larger messages gain nothing (docs/benchmarks.md).
constexpr size_t kFullBytes = size_t{32} << 10;

}  // namespace

/// A semicolon before the last character may join two statements (psql's `\;`),
/// or stand in a string: that INSERT goes alone.
bool StatementBatch::takes(std::string_view text) {
  if (!text.ends_with(';') || text.find(';') + 1 != text.size()) return false;
  script::SqlWord word;
  return script::SqlWords(text).next(word) && word.is("insert");
}

void StatementBatch::add(const script::Statement& statement) {
  items_.push_back({text_.size(), statement.line});
  text_ += statement.text;
  text_ += '\n';
}

void StatementBatch::clear() {
  items_.clear();
  text_.clear();
}

bool StatementBatch::full() const { return text_.size() >= kFullBytes; }

script::Statement StatementBatch::statement(size_t i) {
  const size_t begin = items_[i].begin;
  const size_t end = i + 1 < items_.size() ? items_[i + 1].begin : text_.size();
  one_ = text_.substr(begin, end - begin - 1);
  return {one_.c_str(), items_[i].line};
}

int64_t StatementBatch::characters_before(size_t i) const {
  const auto begin = text_.begin();
  return std::count_if(begin,
                       begin + static_cast<std::ptrdiff_t>(items_[i].begin),
                       [](char c) { return (c & 0xc0) != 0x80; });
}

}  // namespace sidegrade::postgres
