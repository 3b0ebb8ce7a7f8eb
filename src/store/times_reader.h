#pragma once

#include <optional>
#include <string_view>

#include "store/record.h"

namespace sidegrade::store {

/// What stands before the details in a sample's line, if the line is as
/// RunWriter writes that of a trial that did not fail; nothing for any other
/// line, which is then no error yet. Several times as fast as reading it as
/// JSON, and it doesn't look into the details.
std::optional<Sample> read_times(std::string_view line);

}  // namespace sidegrade::store
