#pragma once

namespace sidegrade::base {

/// The version of this tool, as CMakeLists.txt has it: "0.1.0".
const char* tool_version();

}  // namespace sidegrade::base
