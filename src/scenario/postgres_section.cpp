#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/text.h"
#include "base/user.h"
#include "scenario/sections.h"

namespace sidegrade::scenario {
namespace {

/// What the tool decides itself, with the reason why it must.
struct Reserved {
  std::string_view name;
  std::string_view reason;
};

constexpr std::string_view kPrivateSocket =
    "the server listens on a private Unix socket only";
constexpr std::string_view kOnTarget =
    "all of the cluster must lie on the target";
constexpr std::string_view kOwnFiles =
    "the cluster is private and has its own files";
constexpr std::string_view kOwnAccess =
    "the tool connects as postgres, by trust";

constexpr std::array kReservedSettings = {
    Reserved{"listen_addresses", kPrivateSocket},
    Reserved{"port", kPrivateSocket},
    Reserved{"unix_socket_directories", kPrivateSocket},
    Reserved{"unix_socket_group", kPrivateSocket},
    Reserved{"unix_socket_permissions", kPrivateSocket},
    Reserved{"data_directory", kOnTarget},
    Reserved{"config_file", kOwnFiles},
    Reserved{"external_pid_file", kOwnFiles},
    Reserved{"hba_file", kOwnFiles},
    Reserved{"ident_file", kOwnFiles},
    Reserved{"logging_collector", "the tool keeps the server's log itself"},
};

/// By prefix: "-D/x" and "--auth-local=md5" are arguments too.
constexpr std::array kReservedArguments = {
    Reserved{"-D", kOnTarget},        Reserved{"--pgdata", kOnTarget},
    Reserved{"-X", kOnTarget},        Reserved{"--waldir", kOnTarget},
    Reserved{"-U", kOwnAccess},       Reserved{"--username", kOwnAccess},
    Reserved{"-A", kOwnAccess},       Reserved{"--auth", kOwnAccess},
    Reserved{"-W", kOwnAccess},       Reserved{"--pwprompt", kOwnAccess},
    Reserved{"--pwfile", kOwnAccess},
};

/// PostgreSQL takes the names of its settings in any case.
std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return text;
}

bool is_setting_name(std::string_view name) {
  return !name.empty() &&
         std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '.';
         });
}

/// Whether the name may be set; reports why not.
bool check_setting_name(const YamlValue& value, const std::string& name) {
  if (!is_setting_name(name)) {
    value.report_at_key(
        fmt::format("{} is not the name of a setting", value.what()));
    return false;
  }
  const auto* reserved =
      std::find_if(kReservedSettings.begin(), kReservedSettings.end(),
                   [&](const Reserved& entry) { return entry.name == name; });
  if (reserved == kReservedSettings.end()) return true;
  value.report_at_key(fmt::format("setting \"{}\" can't be chosen: {}", name,
                                  reserved->reason));
  return false;
}

/// Unlike other text, a setting may be empty: `session_preload_libraries: ""`.
std::optional<std::string> setting_value(const YamlValue& value) {
  const YamlNode& node = value.node();
  if (node.kind != YamlNode::Kind::kScalar) return value.text();
  if (node.scalar.find('\n') == std::string::npos) return node.scalar;
  value.report(value.what() + " must be one line");
  return std::nullopt;
}

std::map<std::string, std::string> read_settings(const YamlValue& value) {
  std::map<std::string, std::string> settings;
  if (!value) return settings;
  for (const YamlValue& entry : value.entries()) {
    const std::string name = lower_case(entry.node().key);
    if (!check_setting_name(entry, name)) continue;
    const auto text = setting_value(entry);
    if (text && !settings.emplace(name, *text).second) {
      entry.report_at_key(fmt::format("setting \"{}\" is there twice", name));
    }
  }
  return settings;
}

std::vector<std::string> read_initdb_arguments(const YamlValue& value) {
  auto arguments = value.words().value_or(std::vector<std::string>());
  for (const std::string& argument : arguments) {
    for (const Reserved& reserved : kReservedArguments) {
      if (!argument.starts_with(reserved.name)) continue;
      value.report(fmt::format("initdb's \"{}\" can't be chosen: {}", argument,
                               reserved.reason));
    }
  }
  return arguments;
}

std::string read_run_as(const YamlValue& value) {
  const auto name = value.text();
  if (!name) return "";
  const auto user = base::find_user(*name);
  if (!user) {
    value.report(fmt::format(R"("run_as": there is no user "{}")", *name));
  } else if (user->uid == 0) {
    value.report("\"run_as\" can't be root: initdb and the server refuse it");
  } else if (!base::running_as_root() &&
             user->uid != base::current_user().uid) {
    value.report(
        fmt::format(R"("run_as": only root can run a server as "{}")", *name));
  }
  return *name;
}

std::string read_bin_dir(const YamlValue& value, const Folders& folders) {
  const auto text = value.text();
  if (!text || *text == "auto") return "auto";
  const auto directory = existing_directory(value, folders);
  if (!directory) return *text;
  std::error_code ignored;
  if (!std::filesystem::exists(*directory / "initdb", ignored)) {
    value.report(fmt::format("\"bin_dir\": there is no initdb in {}",
                             directory->string()));
  }
  return directory->string();
}

}  // namespace

PostgresSpec read_postgres(const YamlValue& value, const Folders& folders) {
  const YamlMap map(value, {"bin_dir", "settings", "run_as", "initdb_args"});
  PostgresSpec spec;
  spec.bin_dir = read_bin_dir(map.find("bin_dir"), folders);
  spec.run_as = read_run_as(map.find("run_as"));
  spec.settings = read_settings(map.find("settings"));
  spec.initdb_arguments = read_initdb_arguments(map.find("initdb_args"));
  return spec;
}

}  // namespace sidegrade::scenario
