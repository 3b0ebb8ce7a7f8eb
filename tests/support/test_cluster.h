#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "base/interrupt.h"
#include "base/user.h"
#include "postgres/cluster.h"
#include "postgres/database.h"
#include "support/temp_dir.h"

namespace sidegrade::test {

/// The account that tests run servers as: never root.
inline base::User server_owner() {
  if (!base::running_as_root()) return base::current_user();
  return base::find_user("postgres").value();
}

inline void give_to_owner(const std::filesystem::path& path) {
  if (base::running_as_root()) {
    const base::User owner = server_owner();
    if (chown(path.c_str(), owner.uid, owner.gid) != 0) std::abort();
  }
}

/// A cluster of its own for a test program; ended and removed with the object.
class TestCluster {
 public:
  TestCluster()
      : spec_{.installation = postgres::find_installation("auto"),
              .owner = server_owner(),
              .data_directory = directory_ / "data",
              .private_directory = directory_ / "run",
              .settings = {{"fsync", "off"}}} {
    give_to_owner(directory_.path());
    std::filesystem::create_directory(spec_.private_directory);
    std::filesystem::permissions(spec_.private_directory,
                                 std::filesystem::perms(0700));
    give_to_owner(spec_.private_directory);
    postgres::initialise(spec_, interrupt_);
    cluster_ = postgres::Cluster::start(spec_, interrupt_);
  }
  ~TestCluster() {
    if (cluster_) cluster_->stop();
  }

  const postgres::ClusterSpec& spec() const { return spec_; }
  postgres::Cluster& cluster() { return *cluster_; }
  const postgres::Endpoint& endpoint() const { return cluster_->endpoint(); }
  const base::Interrupt& interrupt() const { return interrupt_; }

  void execute(const std::string& statement,
               const std::string& database = "postgres") {
    postgres::Database(endpoint(), database).execute(statement);
  }
  /// A new empty database of this name, whatever was there before.
  void renew_database(const std::string& name) {
    execute("DROP DATABASE IF EXISTS " + postgres::quote_identifier(name) +
            " WITH (FORCE)");
    execute("CREATE DATABASE " + postgres::quote_identifier(name));
  }

 private:
  TempDir directory_;
  base::Interrupt interrupt_ = base::Interrupt::never();
  postgres::ClusterSpec spec_;
  std::optional<postgres::Cluster> cluster_;
};

}  // namespace sidegrade::test
