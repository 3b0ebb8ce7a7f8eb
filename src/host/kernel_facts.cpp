#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "host/fact_parts.h"
#include "host/tree.h"

namespace sidegrade::host {
namespace {

/// Files below /proc/sys/vm that do something when they are used.
constexpr std::array<std::string_view, 3> kTriggers = {
    "compact_memory", "drop_caches", "stat_refresh"};

std::filesystem::path config_file(const Root& root,
                                  const std::string& release) {
  return root / ("/boot/config-" + release);
}

Fact config_sha256(const Root& root, const std::string& release) {
  for (const auto& file :
       {config_file(root, release), root / "/proc/config.gz"}) {
    if (const auto bytes = base::try_read_file(file)) {
      return known(base::sha256_of_text(*bytes));
    }
  }
  return absent(fmt::format(
      "neither /boot/config-{} nor /proc/config.gz can be read", release));
}

/// What `preempt=` on the command line says, the last one as the kernel does.
std::optional<std::string> preemption_asked_for(
    const std::string& command_line) {
  constexpr std::string_view kOption = "preempt=";
  std::optional<std::string> mode;
  for (const std::string& word : base::split_words(command_line)) {
    if (word.starts_with(kOption)) mode = word.substr(kOption.size());
  }
  return mode;
}

/// The mode that the kernel was configured to start with.
std::optional<std::string> preemption_configured(const std::string& config) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4>
      kModes = {{{"\nCONFIG_PREEMPT_LAZY=y\n", "lazy"},
                 {"\nCONFIG_PREEMPT=y\n", "full"},
                 {"\nCONFIG_PREEMPT_VOLUNTARY=y\n", "voluntary"},
                 {"\nCONFIG_PREEMPT_NONE=y\n", "none"}}};
  for (const auto& [line, mode] : kModes) {
    if (("\n" + config).find(line) != std::string::npos) {
      return std::string(mode);
    }
  }
  return std::nullopt;
}

/// The mode in force, from the surest source that is there.
Fact preemption(const Root& root, const Facts& kernel) {
  const std::string& version = kernel.at("kernel.version").value;
  Fact now = selected(read_fact(root / "/sys/kernel/debug/sched/preempt"));
  if (is_known(now)) return now;
  if (version.find("PREEMPT_RT") != std::string::npos) return known("rt");
  const bool dynamic = version.find("PREEMPT_DYNAMIC") != std::string::npos;
  if (dynamic) {
    const auto mode =
        preemption_asked_for(kernel.at("kernel.command_line").value);
    if (mode) return known(*mode);
  }
  const auto config =
      base::try_read_file(config_file(root, kernel.at("kernel.release").value));
  if (const auto mode = preemption_configured(config.value_or(""))) {
    return known(*mode);
  }
  if (dynamic) {
    return absent(
        "the mode of a PREEMPT_DYNAMIC kernel is in debugfs, and "
        "/sys/kernel/debug/sched/preempt can't be read");
  }
  if (version.find("PREEMPT") != std::string::npos) return known("full");
  return known("none or voluntary");
}

bool is_write_only(const std::filesystem::path& file) {
  using std::filesystem::perms;
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  return (status.permissions() & perms::owner_read) == perms::none;
}

void add_sysctls(const Root& root, const std::string& folder,
                 std::string_view prefix, Facts& facts) {
  const auto directory = root / ("/proc/sys/" + folder);
  for (const std::string& name : names_in(directory)) {
    const auto file = directory / name;
    std::error_code error;
    if (!name.starts_with(prefix) ||
        !std::filesystem::is_regular_file(file, error) || is_write_only(file) ||
        std::find(kTriggers.begin(), kTriggers.end(), name) !=
            kTriggers.end()) {
      continue;
    }
    Fact fact = read_fact(file);
    fact.value = base::join(base::split_words(fact.value), " ");
    facts[fmt::format("sysctl.{}.{}", folder, name)] = std::move(fact);
  }
}

}  // namespace

Facts kernel_facts(const Root& root) {
  Facts facts;
  facts["kernel.release"] = read_fact(root / "/proc/sys/kernel/osrelease");
  facts["kernel.version"] = read_fact(root / "/proc/sys/kernel/version");
  facts["kernel.boot_id"] = read_fact(root / "/proc/sys/kernel/random/boot_id");
  facts["kernel.command_line"] = read_fact(root / "/proc/cmdline");
  facts["kernel.tainted"] = read_fact(root / "/proc/sys/kernel/tainted");
  facts["kernel.config_sha256"] =
      config_sha256(root, facts["kernel.release"].value);
  facts["kernel.preemption"] = preemption(root, facts);
  Fact& uptime = facts["kernel.uptime_s"] = read_fact(root / "/proc/uptime");
  uptime.value = uptime.value.substr(0, uptime.value.find(' '));
  return facts;
}

Facts sysctl_facts(const Root& root) {
  Facts facts;
  add_sysctls(root, "vm", "", facts);
  add_sysctls(root, "kernel", "sched", facts);
  return facts;
}

}  // namespace sidegrade::host
