#include "base/version.h"

namespace sidegrade::base {

const char* tool_version() { return SIDEGRADE_VERSION; }

}  // namespace sidegrade::base
