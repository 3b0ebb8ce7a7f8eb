#include "postgres/psql.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "postgres/connection.h"

namespace sidegrade::postgres {
namespace {

constexpr int kConnectionLost = 2;  // psql's exit code for it
constexpr std::chrono::hours kNoLimit{24 * 365};

/// psql calls the script, which is its standard input, so.
std::string with_name_of_script(std::string text, const std::string& name) {
  constexpr std::string_view kUnnamed = "<stdin>";
  for (size_t at = text.find(kUnnamed); at != std::string::npos;
       at = text.find(kUnnamed, at + name.size())) {
    text.replace(at, kUnnamed.size(), name);
  }
  return text;
}

}  // namespace

base::Command psql_command(const ClusterSpec& cluster, const Endpoint& endpoint,
                           const PsqlOptions& options) {
  base::Command command = initdb_command(cluster);  // account, folder
  command.cgroup.clear();  // the client's CPU time is not the server's
  command.own_shared_memory = false;
  command.argv = {cluster.installation.program("psql").string(),
                  "--no-psqlrc",
                  "--quiet",
                  fmt::format("--set=ON_ERROR_STOP={}",
                              options.on_error == OnError::kStop ? 1 : 0),
                  "--host=" + endpoint.socket_directory.string(),
                  fmt::format("--port={}", kPort),
                  "--username=" + endpoint.user,
                  "--dbname=" + options.database,
                  "--output=/dev/null",
                  "--file=-"};
  if (options.single_transaction)
    command.argv.emplace_back("--single-transaction");
  command.input = options.script;
  return command;
}

base::ResourceUsage run_psql(const base::Command& command,
                             const base::Interrupt& interrupt,
                             base::Deadline deadline) {
  const std::string name = command.input->filename().string();
  base::Output output;
  try {
    output = base::run(command, {.timeout = deadline.left().value_or(kNoLimit),
                                 .interrupt = &interrupt});
  } catch (const base::Interrupted&) {
    throw;
  } catch (const base::Error&) {
    if (!deadline.passed()) throw;
    const TimeLimitPassed passed;
    throw base::Error(fmt::format("{}: {}", name, passed.what()),
                      passed.hint());
  }
  if (output.status.success()) return output.status.usage;
  const std::string sentence = fmt::format(
      "psql failed with {}: {}", output.status.text(),
      with_name_of_script(std::string(base::trim(output.err)), name));
  const std::string hint = "The script was " + command.input->string();
  if (output.status.code == kConnectionLost) throw ServerLost(sentence, hint);
  throw base::Error(sentence, hint);
}

}  // namespace sidegrade::postgres
