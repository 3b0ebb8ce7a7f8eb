#include "store/json_text.h"

#include <nlohmann/json.hpp>

namespace sidegrade::store {

std::string json_quote(std::string_view text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace sidegrade::store
