#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "script/reader.h"

namespace sidegrade::postgres {

/// Statements that go to the server in one message, where each would have been
/// one. Inside a transaction block that changes nothing but the waiting: after
/// an error all that follow fail either way.
class StatementBatch {
 public:
  /// Whether `text` may stand in a batch: one INSERT, whose end is known.
  static bool takes(std::string_view text);

  void add(const script::Statement& statement);
  void clear();
  bool empty() const { return items_.empty(); }
  bool full() const;
  size_t size() const { return items_.size(); }

  /// The message.
  const char* text() const { return text_.c_str(); }
  /// Statement number `i` alone. Valid until the next call.
  script::Statement statement(size_t i);
  /// Characters of the message before statement number `i`.
  int64_t characters_before(size_t i) const;

 private:
  struct Item {
    size_t begin = 0;
    int64_t line = 0;
  };

  std::string text_;
  std::string one_;
  std::vector<Item> items_;
};

}  // namespace sidegrade::postgres
