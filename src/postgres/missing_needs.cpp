#include "postgres/missing_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/process.h"
#include "base/text.h"

namespace sidegrade::postgres {
namespace {

namespace fs = std::filesystem;

long major_version(const Installation& installation) {
  return std::strtol(installation.version.c_str(), nullptr, 10);
}

/// What pg_config says; Debian has it in a package of its own.
std::optional<fs::path> configured_share_directory(
    const Installation& installation) {
  const auto program =
      base::find_program(installation.program("pg_config").string());
  if (!program) return {};
  const base::Output output =
      base::run({.argv = {program->string(), "--sharedir"}});
  if (!output.status.success()) return {};
  return fs::path(base::trim(output.out));
}

/// Where the control files of the installation are; empty if they aren't found.
fs::path extension_directory(const Installation& installation) {
  const fs::path share = installation.bin_directory / ".." / "share";
  for (const fs::path& candidate :
       {configured_share_directory(installation).value_or(fs::path()),
        share / "postgresql", share,
        fs::path("/usr/share/postgresql") /
            std::to_string(major_version(installation))}) {
    fs::path directory = candidate / "extension";
    if (fs::exists(directory / "plpgsql.control")) return directory;
  }
  return {};
}

bool system_has_locale(const std::string& name) {
  const locale_t locale =
      newlocale(LC_COLLATE_MASK | LC_CTYPE_MASK, name.c_str(), nullptr);
  if (locale == nullptr) return false;
  freelocale(locale);
  return true;
}

/// initdb takes collations over as `locale -a` spells them: `de_DE.utf8`, not
/// `de_DE.UTF-8`, which the C library understands as well.
bool is_spelt_as_listed(const std::string& name) {
  const size_t dot = std::min(name.find('.'), name.size());
  const std::string codeset = name.substr(dot, name.find('@', dot) - dot);
  return std::ranges::none_of(
      codeset, [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; });
}

/// Collations of every cluster, and the major version that brought them in.
constexpr std::pair<std::string_view, long> kOwnCollations[] = {
    {"default", 0},   {"C", 0},        {"POSIX", 0},
    {"ucs_basic", 0}, {"unicode", 16}, {"pg_c_utf8", 17}};

bool has_collation(const Installation& installation, const std::string& name) {
  for (const auto& [own, since] : kOwnCollations) {
    if (name == own) return major_version(installation) >= since;
  }
  if (name.ends_with("-x-icu")) return true;
  // Without a codeset it is an alias that initdb makes.
  return is_spelt_as_listed(name) &&
         (system_has_locale(name) || system_has_locale(name + ".utf8"));
}

std::optional<MissingNeed> judge_role(const script::Need& need) {
  return MissingNeed{
      .need = need,
      .sentence = fmt::format("{}: role \"{}\" is not made by the scripts",
                              need.place, need.name),
      .next_step =
          "Add create_roles: true to the workload, or CREATE ROLE to a script "
          "that comes before."};
}

std::optional<MissingNeed> judge_extension(const script::Need& need,
                                           const Installation& installation,
                                           const fs::path& directory) {
  const std::string file = need.name + ".control";
  std::error_code no_name_of_a_file;
  if (directory.empty() || fs::exists(directory / file, no_name_of_a_file))
    return {};
  return MissingNeed{
      .need = need,
      .sentence = fmt::format("{}: extension \"{}\" is not installed: {} is "
                              "missing",
                              need.place, need.name,
                              (directory / file).lexically_normal().string()),
      .next_step = fmt::format(
          "Install the package for PostgreSQL {} that holds {} (on Debian, "
          "`apt-file search {}` names it).",
          major_version(installation), file, file)};
}

std::optional<MissingNeed> judge_collation(const script::Need& need,
                                           const Installation& installation) {
  if (has_collation(installation, need.name)) return {};
  return MissingNeed{
      .need = need,
      .sentence = fmt::format("{}: collation \"{}\" is neither made by the "
                              "scripts nor a locale of this system",
                              need.place, need.name),
      .next_step =
          "Generate the locale (on Debian: package locales, then "
          "dpkg-reconfigure locales), or name one that `locale -a` lists."};
}

std::optional<MissingNeed> judge_locale(const script::Need& need) {
  if (system_has_locale(need.name)) return {};
  return MissingNeed{
      .need = need,
      .sentence = fmt::format("{}: this system has no locale \"{}\"",
                              need.place, need.name),
      .next_step =
          "Generate it (on Debian: package locales, then dpkg-reconfigure "
          "locales), or name one that `locale -a` lists."};
}

}  // namespace

std::vector<MissingNeed> missing_needs(const std::vector<script::Need>& needs,
                                       const Installation& installation) {
  const fs::path extensions = extension_directory(installation);
  const auto judge =
      [&](const script::Need& need) -> std::optional<MissingNeed> {
    switch (need.kind) {
      case script::NeedKind::kRole:
        return judge_role(need);
      case script::NeedKind::kExtension:
        return judge_extension(need, installation, extensions);
      case script::NeedKind::kCollation:
        return judge_collation(need, installation);
      case script::NeedKind::kLocale:
        return judge_locale(need);
    }
    return {};
  };
  std::vector<MissingNeed> missing;
  for (const script::Need& need : needs) {
    if (auto found = judge(need)) missing.push_back(std::move(*found));
  }
  return missing;
}

}  // namespace sidegrade::postgres
