#pragma once

#include <string>
#include <vector>

#include "postgres/installation.h"
#include "script/needs.h"

namespace sidegrade::postgres {

/// A need that a new cluster of an installation on this machine does not meet.
struct MissingNeed {
  script::Need need;
  std::string sentence;   ///< `dump.sql:12: role "webuser" is not made by …`
  std::string next_step;  ///< what to do about it
};

/// The needs that are not met: every role, extensions without a control file,
/// collations and locales that the C library does not have. If the folder of
/// the control files isn't found, no extension is called missing.
std::vector<MissingNeed> missing_needs(const std::vector<script::Need>& needs,
                                       const Installation& installation);

}  // namespace sidegrade::postgres
