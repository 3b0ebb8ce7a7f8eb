#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "postgres/cluster.h"

namespace sidegrade::postgres {

/// What one table holds.
struct TableContents {
  std::string name;  ///< database.schema.table
  int64_t rows = 0;
  std::string
      checksum;  ///< of all rows, whatever their order; empty: not taken
};

/// The tool's own connection to a cluster, for everything but scripts. Errors
/// of the server are thrown as base::Error with their SQLSTATE.
class Database {
 public:
  /// `limit`: the server cancels a statement that takes longer.
  Database(const Endpoint& endpoint, const std::string& name,
           std::optional<std::chrono::milliseconds> limit = {});
  ~Database();

  /// Executes one statement outside any transaction block.
  void execute(const std::string& statement);
  /// Bytes of WAL written since the cluster was made.
  uint64_t wal_position();
  /// The settings that differ from PostgreSQL's defaults.
  std::map<std::string, std::string> changed_settings();

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

/// Rows and checksum of every table, materialised view and large object of
/// every database in the cluster. The checksum is the sum of PostgreSQL's
/// 64-bit hash of each row's text (hashtextextended), under fixed output
/// settings; tables named in `volatile_tables` (as table, schema.table or with
/// their database) are only counted.
std::vector<TableContents> read_contents(
    const Endpoint& endpoint, const std::vector<std::string>& volatile_tables);

/// `name` as an SQL identifier in quotes.
std::string quote_identifier(const std::string& name);

}  // namespace sidegrade::postgres
