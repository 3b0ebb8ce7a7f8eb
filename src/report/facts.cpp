#include "report/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "report/json.h"
#include "report/layout.h"
#include "store/json_text.h"

namespace sidegrade::report {
namespace {

constexpr size_t kWidestName = 44;

std::string facts_text(const host::Facts& facts) {
  size_t width = 0;
  for (const auto& [name, fact] : facts) width = std::max(width, name.size());
  width = std::min(width, kWidestName);
  std::string text;
  for (const auto& [name, fact] : facts) {
    text += fmt::format("{}  {}\n", pad(name, width, Align::kLeft),
                        fact.absent_because.empty()
                            ? fact.value
                            : fmt::format("— ({})", fact.absent_because));
  }
  return text;
}

std::string facts_json(const host::Facts& facts) {
  std::vector<JsonMember> members;
  for (const auto& [name, fact] : facts) {
    const bool known = fact.absent_because.empty();
    members.push_back(
        {name, json_object({{known ? "value" : "absent_because",
                             store::json_quote(
                                 known ? fact.value : fact.absent_because)}})});
  }
  return json_object(members) + "\n";
}

}  // namespace

std::string render_facts(const host::Facts& facts, Format format) {
  if (format == Format::kText) return facts_text(facts);
  if (format == Format::kJson) return facts_json(facts);
  throw base::Error("the facts of a machine have no such format",
                    "Their formats are text and json.");
}

}  // namespace sidegrade::report
