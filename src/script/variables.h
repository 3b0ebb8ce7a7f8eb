#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace sidegrade::script {

/// How a script's value is quoted: `:name`, `:'name'` or `:"name"`.
enum class Quoting { kNone, kLiteral, kIdentifier };

std::string quoted(const std::string& value, Quoting quoting);

/// psql's variables: those that the script sets, and those that only a session
/// knows (ROW_COUNT, DBNAME …), which are asked of it when they are used.
class Variables {
 public:
  using SessionValue =
      std::function<std::optional<std::string>(const std::string& name)>;

  explicit Variables(SessionValue session_value)
      : session_value_(std::move(session_value)) {}

  void set(const std::string& name, std::string value);
  void unset(const std::string& name);
  /// Nothing if there is no such variable.
  std::optional<std::string> find(const std::string& name) const;
  /// How often a value of the session was asked for.
  int64_t session_lookups() const { return session_lookups_; }

 private:
  SessionValue session_value_;
  std::map<std::string, std::string> values_ = {{"AUTOCOMMIT", "on"}};
  mutable int64_t session_lookups_ = 0;
};

/// Whether a session sets this variable by itself: ROW_COUNT, DBNAME …
bool is_session_value(const std::string& name);
/// Whether it tells how the statement before went: ERROR, ROW_COUNT …
bool is_answer(const std::string& name);

/// psql's truth values: on, true, yes, 1 and their beginnings, and the
/// opposites; nothing if `text` is neither.
std::optional<bool> truth_of(const std::string& text);

}  // namespace sidegrade::script
