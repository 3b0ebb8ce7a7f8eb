#pragma once

#include <filesystem>

#include "workload/generator.h"

namespace sidegrade::scenario {

/// Reads the generator settings of a schema (schemas/NAME/generator.yaml; the
/// keys are in schemas/shop/README.md). Throws ScenarioError with every
/// diagnostic found, Error if the file can't be read.
workload::GeneratorSpec load_generator(const std::filesystem::path& path);

}  // namespace sidegrade::scenario
