#pragma once

#include <string>

#include "host/facts.h"
#include "report/render.h"

namespace sidegrade::report {

/// What is known of a machine: a line a fact, or a JSON object of objects with
/// `value` or `absent_because`. Throws Error for another format.
std::string render_facts(const host::Facts& facts, Format format);

}  // namespace sidegrade::report
