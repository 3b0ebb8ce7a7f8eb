#include "script/variables.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace sidegrade::script {

std::string quoted(const std::string& value, Quoting quoting) {
  if (quoting == Quoting::kNone) return value;
  const char quote = quoting == Quoting::kLiteral ? '\'' : '"';
  const bool escaped =
      quoting == Quoting::kLiteral && value.find('\\') != std::string::npos;
  std::string text = escaped ? " E'" : std::string(1, quote);
  for (const char c : value) {
    if (c == quote || (escaped && c == '\\')) text += c;
    text += c;
  }
  return text + quote;
}

void Variables::set(const std::string& name, std::string value) {
  values_[name] = std::move(value);
}

void Variables::unset(const std::string& name) { values_.erase(name); }

std::optional<std::string> Variables::find(const std::string& name) const {
  const auto value = values_.find(name);
  if (value != values_.end()) return value->second;
  auto found = session_value_(name);
  if (found) ++session_lookups_;
  return found;
}

bool is_session_value(const std::string& name) {
  static constexpr std::array<std::string_view, 9> kNames = {
      "DBNAME",
      "USER",
      "HOST",
      "PORT",
      "ENCODING",
      "VERSION_NAME",
      "VERSION_NUM",
      "SERVER_VERSION_NAME",
      "SERVER_VERSION_NUM"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         is_answer(name);
}

bool is_answer(const std::string& name) {
  static constexpr std::array<std::string_view, 5> kNames = {
      "ERROR", "SQLSTATE", "ROW_COUNT", "LAST_ERROR_MESSAGE",
      "LAST_ERROR_SQLSTATE"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::optional<bool> truth_of(const std::string& text) {
  std::string word = text;
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  const auto begins = [&](std::string_view whole, size_t least) {
    return word.size() >= least && whole.starts_with(word);
  };
  if (begins("true", 1) || begins("yes", 1) || begins("on", 2) || word == "1") {
    return true;
  }
  if (begins("false", 1) || begins("no", 1) || begins("off", 2) ||
      word == "0") {
    return false;
  }
  return std::nullopt;
}

}  // namespace sidegrade::script
