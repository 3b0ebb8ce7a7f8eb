#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/user.h"
#include "postgres/installation.h"

namespace sidegrade::postgres {

/// Each cluster's: it is alone in its folder of sockets.
inline constexpr const char* kPort = "5432";

/// Where to connect: always a Unix socket in a private folder.
struct Endpoint {
  std::filesystem::path socket_directory;
  std::string user = "postgres";

  /// libpq connection string for `database`.
  std::string connection_string(const std::string& database) const;
};

/// A private cluster: where it lies and how it is set.
struct ClusterSpec {
  Installation installation;
  base::User owner;  ///< never root
  std::filesystem::path data_directory;
  /// Holds socket and server log; exists, mode 0700, belongs to `owner`.
  std::filesystem::path private_directory;
  std::map<std::string, std::string> settings;
  std::vector<std::string> initdb_arguments;
  std::filesystem::path cgroup;  ///< the server joins it; empty: none
};

base::Command initdb_command(const ClusterSpec& spec);
base::Command server_command(const ClusterSpec& spec);

/// Runs initdb. Throws Error with its words.
void initialise(const ClusterSpec& spec, const base::Interrupt& interrupt);

/// The server, or its end of a connection, went away in the middle of the work.
class ServerLost : public base::Error {
 public:
  using base::Error::Error;
};

/// A running server. The destructor kills it at once; stop() is the good end.
class Cluster {
 public:
  /// Starts it and waits until it takes connections. Throws Error with the end
  /// of its log if it does not.
  static Cluster start(const ClusterSpec& spec,
                       const base::Interrupt& interrupt);

  Cluster(Cluster&&) = default;
  Cluster& operator=(Cluster&&) = default;
  ~Cluster() = default;

  pid_t pid() const { return server_.pid(); }
  const Endpoint& endpoint() const { return endpoint_; }
  /// What the server wrote last of its own end (a crash, a full disk), for a
  /// failure's text; empty if all is well with it.
  std::string last_words() const;
  /// The same after a ServerLost: the client may know of a crash before the
  /// server has written of it, so this waits a moment for its words.
  std::string wait_for_last_words() const;
  /// Fast shutdown, with a shutdown checkpoint. Throws Error if the server does
  /// not end within a minute or had ended by itself.
  void stop();

 private:
  Cluster(base::Child server, Endpoint endpoint, std::filesystem::path log);

  base::Child server_;
  Endpoint endpoint_;
  std::filesystem::path log_;
};

}  // namespace sidegrade::postgres
