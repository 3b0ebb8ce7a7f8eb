#include "report/json.h"

#include <fmt/format.h>

#include "base/text.h"

namespace sidegrade::report {

std::string json_object(const std::vector<JsonMember>& members) {
  std::vector<std::string> pieces;
  pieces.reserve(members.size());
  for (const JsonMember& member : members) {
    pieces.push_back(store::json_quote(member.name) + ":" + member.value);
  }
  return "{" + base::join(pieces, ",") + "}";
}

std::string json_list(const std::vector<std::string>& values) {
  return "[" + base::join(values, ",") + "]";
}

std::string json_strings(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  quoted.reserve(texts.size());
  for (const std::string& text : texts) {
    quoted.push_back(store::json_quote(text));
  }
  return json_list(quoted);
}

std::string json_number(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : "null";
}

}  // namespace sidegrade::report
