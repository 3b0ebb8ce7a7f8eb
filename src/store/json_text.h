#pragma once

#include <string>
#include <string_view>

namespace sidegrade::store {

/// `text` as a JSON string with its quotes; bytes that are no UTF-8 become
/// U+FFFD.
std::string json_quote(std::string_view text);

}  // namespace sidegrade::store
