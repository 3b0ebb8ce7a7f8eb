#include "postgres/cluster.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <csignal>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace sidegrade::postgres {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kStartLimitS = 120;
constexpr seconds kStopLimit{60};

fs::path log_of(const ClusterSpec& spec) {
  return spec.private_directory / "server.log";
}

/// Whether the server may have a /dev/shm of its own: not if that would hide
/// its data.
bool may_own_shared_memory(const fs::path& data_directory) {
  return !data_directory.string().starts_with("/dev/shm/");
}

/// `owner` as the account to switch to, or nothing if that is who we are.
std::optional<base::User> account(const base::User& owner) {
  if (owner.uid == base::current_user().uid) return std::nullopt;
  return owner;
}

constexpr double kLastWordsLimitS = 2;

/// Whether a line of the server's log says why it ended. It also turns away, as
/// FATAL, who comes too early or too late; that is no reason.
bool tells_of_an_end(const std::string& line) {
  const auto has = [&](const char* text) {
    return line.find(text) != std::string::npos;
  };
  if (has("the database system is")) return false;
  return has("PANIC:") || has("FATAL:") || has("terminated by signal") ||
         has("shutdown request");
}

/// The lines of a server's log that say why it ended, at most the last five.
std::string lines_of_an_end(const std::string& log) {
  std::vector<std::string> lines = base::split(log, '\n');
  std::erase_if(lines, [](const auto& line) { return !tells_of_an_end(line); });
  if (lines.size() > 5) lines.erase(lines.begin(), lines.end() - 5);
  return base::join(lines, "\n");
}

}  // namespace

std::string Endpoint::connection_string(const std::string& database) const {
  const auto quoted = [](const std::string& value) {
    std::string text = "'";
    for (const char c : value) {
      if (c == '\'' || c == '\\') text += '\\';
      text += c;
    }
    return text + "'";
  };
  return fmt::format(
      "host={} port={} user={} dbname={} application_name=sidegrade",
      quoted(socket_directory.string()), kPort, quoted(user), quoted(database));
}

base::Command initdb_command(const ClusterSpec& spec) {
  // --no-sync: the settle step writes everything back before the first phase.
  base::Command command{.argv = {spec.installation.program("initdb").string(),
                                 "--pgdata=" + spec.data_directory.string(),
                                 "--username=postgres", "--auth=trust",
                                 "--encoding=UTF8", "--locale=C.UTF-8",
                                 "--no-sync", "--no-instructions"}};
  command.argv.insert(command.argv.end(), spec.initdb_arguments.begin(),
                      spec.initdb_arguments.end());
  command.user = account(spec.owner);
  command.working_directory = spec.data_directory.parent_path();
  command.cgroup = spec.cgroup;
  command.own_shared_memory = may_own_shared_memory(spec.data_directory);
  return command;
}

base::Command server_command(const ClusterSpec& spec) {
  const std::map<std::string, std::string> ours = {
      {"listen_addresses", ""},
      {"unix_socket_directories", spec.private_directory.string()},
      {"unix_socket_permissions", "0700"},
      {"port", kPort},
      {"logging_collector", "off"},
  };
  base::Command command{.argv = {spec.installation.program("postgres").string(),
                                 "-D", spec.data_directory.string()}};
  for (const auto* settings : {&spec.settings, &ours}) {
    for (const auto& [name, value] : *settings) {
      command.argv.insert(command.argv.end(),
                          {"-c", fmt::format("{}={}", name, value)});
    }
  }
  command.user = account(spec.owner);
  command.working_directory = spec.data_directory;
  command.log = log_of(spec);
  command.cgroup = spec.cgroup;
  command.own_shared_memory = may_own_shared_memory(spec.data_directory);
  return command;
}

void initialise(const ClusterSpec& spec, const base::Interrupt& interrupt) {
  base::run_checked(initdb_command(spec), {.interrupt = &interrupt});
}

Cluster::Cluster(base::Child server, Endpoint endpoint, fs::path log)
    : server_(std::move(server)),
      endpoint_(std::move(endpoint)),
      log_(std::move(log)) {}

Cluster Cluster::start(const ClusterSpec& spec,
                       const base::Interrupt& interrupt) {
  Cluster cluster(base::Child::start(server_command(spec)),
                  Endpoint{.socket_directory = spec.private_directory},
                  log_of(spec));
  const std::string probe = cluster.endpoint_.connection_string("postgres");
  const double deadline = base::monotonic_seconds() + kStartLimitS;
  while (PQping(probe.c_str()) != PQPING_OK) {
    if (const auto status = cluster.server_.wait(milliseconds(10))) {
      throw base::Error(
          fmt::format("the PostgreSQL server did not start: it "
                      "ended with {}\n{}",
                      status->text(), cluster.last_words()));
    }
    if (base::monotonic_seconds() > deadline) {
      throw base::Error(fmt::format(
          "the PostgreSQL server took no connection within {} s\n{}",
          kStartLimitS, cluster.last_words()));
    }
    interrupt.check();
  }
  return cluster;
}

std::string Cluster::last_words() const {
  return lines_of_an_end(base::try_read_file(log_).value_or(""));
}

std::string Cluster::wait_for_last_words() const {
  const double deadline = base::monotonic_seconds() + kLastWordsLimitS;
  std::string words = last_words();
  while (words.empty() && base::monotonic_seconds() < deadline) {
    std::this_thread::sleep_for(milliseconds(20));
    words = last_words();
  }
  return words;
}

void Cluster::stop() {
  if (const auto status = server_.wait(milliseconds(0))) {
    throw base::Error(fmt::format("the PostgreSQL server had ended with {}\n{}",
                                  status->text(), last_words()));
  }
  server_.kill(SIGINT);
  if (!server_.wait(kStopLimit)) {
    throw base::Error(fmt::format(
        "the PostgreSQL server did not stop within {} s", kStopLimit.count()));
  }
}

}  // namespace sidegrade::postgres
