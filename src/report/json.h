#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/json_text.h"

namespace sidegrade::report {

/// A member of a JSON object whose value is JSON text already.
struct JsonMember {
  std::string name;
  std::string value;
};

std::string json_object(const std::vector<JsonMember>& members);
std::string json_list(const std::vector<std::string>& values);
std::string json_strings(const std::vector<std::string>& texts);
/// null for nothing.
std::string json_number(std::optional<double> value);

}  // namespace sidegrade::report
