#include "postgres/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <pqxx/pqxx>

#include "base/error.h"
#include "base/text.h"

namespace sidegrade::postgres {
namespace {

/// Runs `work` and gives libpqxx's exceptions our words.
template <typename Work>
auto translated(Work work) {
  try {
    return work();
  } catch (const pqxx::sql_error& error) {
    throw base::Error(fmt::format("{} (SQLSTATE {})", base::trim(error.what()),
                                  error.sqlstate()),
                      "in " + error.query());
  } catch (const pqxx::broken_connection& error) {
    throw ServerLost(std::string(base::trim(error.what())));
  } catch (const pqxx::failure& error) {
    throw base::Error(std::string(base::trim(error.what())));
  }
}

/// Rows look the same in text whatever the database or role was set to.
constexpr const char* kFixedOutput =
    "SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = "
    "'postgres';"
    "SET extra_float_digits = 1; SET bytea_output = 'hex'; SET search_path = "
    "'';"
    "SET row_security = off; SET client_encoding = 'UTF8';"
    "SET default_transaction_read_only = on";

/// Partitions are read through their parent, inheritance children on their own.
constexpr const char* kTables =
    "SELECT n.nspname, c.relname, c.relkind = 'p' FROM pg_catalog.pg_class c "
    "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('r', 'p', 'm') AND NOT c.relispartition "
    "AND c.relispopulated AND n.nspname <> 'information_schema' "
    "AND n.nspname !~ '^pg_' ORDER BY 1, 2";

struct Contents {
  int64_t rows;
  std::string checksum;
};

Contents read_rows(pqxx::nontransaction& work, const std::string& source,
                   const std::string& row_text) {
  const pqxx::row row = work.exec1(fmt::format(
      "SELECT count(*), "
      "coalesce(sum(pg_catalog.hashtextextended({}, 0)), 0) FROM {}",
      row_text, source));
  return {row[0].as<int64_t>(), row[1].as<std::string>()};
}

int64_t count_rows(pqxx::nontransaction& work, const std::string& source) {
  return work.exec1("SELECT count(*) FROM " + source)[0].as<int64_t>();
}

bool is_listed(const std::vector<std::string>& names,
               const std::string& database, const std::string& schema,
               const std::string& table) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name == table || name == schema + "." + table ||
           name == database + "." + schema + "." + table;
  });
}

void read_database(const Endpoint& endpoint, const std::string& database,
                   const std::vector<std::string>& volatile_tables,
                   std::vector<TableContents>& contents) {
  pqxx::connection connection(endpoint.connection_string(database));
  pqxx::nontransaction work(connection);
  work.exec(kFixedOutput);
  for (const pqxx::row& found : work.exec(kTables)) {
    const auto schema = found[0].as<std::string>();
    const auto table = found[1].as<std::string>();
    const std::string source = fmt::format(
        "{}{}.{} AS sidegrade_row", found[2].as<bool>() ? "" : "ONLY ",
        quote_identifier(schema), quote_identifier(table));
    TableContents one{.name = fmt::format("{}.{}.{}", database, schema, table)};
    if (is_listed(volatile_tables, database, schema, table)) {
      one.rows = count_rows(work, source);
    } else {
      const Contents read = read_rows(work, source, "sidegrade_row::text");
      one.rows = read.rows;
      one.checksum = read.checksum;
    }
    contents.push_back(std::move(one));
  }
  const Contents large_objects =
      read_rows(work, "pg_catalog.pg_largeobject",
                "loid::text || ' ' || pageno || ' ' || encode(data, 'hex')");
  if (large_objects.rows > 0) {
    contents.push_back({database + ".pg_catalog.pg_largeobject",
                        large_objects.rows, large_objects.checksum});
  }
}

}  // namespace

struct Database::Connection {
  explicit Connection(const std::string& parameters) : connection(parameters) {}

  pqxx::connection connection;
};

Database::Database(const Endpoint& endpoint, const std::string& name,
                   std::optional<std::chrono::milliseconds> limit)
    : connection_(translated([&] {
        std::string parameters = endpoint.connection_string(name);
        if (limit) {
          parameters +=
              fmt::format(" options='-c statement_timeout={}'", limit->count());
        }
        return std::make_unique<Connection>(parameters);
      })) {}

Database::~Database() = default;

void Database::execute(const std::string& statement) {
  translated([&] {
    pqxx::nontransaction work(connection_->connection);
    work.exec(statement);
  });
}

uint64_t Database::wal_position() {
  return translated([&] {
    pqxx::nontransaction work(connection_->connection);
    return work
        .exec1(
            "SELECT pg_catalog.pg_wal_lsn_diff("
            "pg_catalog.pg_current_wal_insert_lsn(), '0/0')::bigint")[0]
        .as<uint64_t>();
  });
}

std::map<std::string, std::string> Database::changed_settings() {
  return translated([&] {
    pqxx::nontransaction work(connection_->connection);
    std::map<std::string, std::string> settings;
    for (const pqxx::row& row :
         work.exec("SELECT name, pg_catalog.current_setting(name) FROM "
                   "pg_catalog.pg_settings WHERE source NOT IN ('default', "
                   "'override', 'client', 'session') AND name NOT IN "
                   "('unix_socket_directories', 'data_directory')")) {
      settings[row[0].as<std::string>()] = row[1].as<std::string>();
    }
    return settings;
  });
}

std::vector<TableContents> read_contents(
    const Endpoint& endpoint, const std::vector<std::string>& volatile_tables) {
  return translated([&] {
    pqxx::connection connection(endpoint.connection_string("postgres"));
    pqxx::nontransaction work(connection);
    std::vector<TableContents> contents;
    for (const pqxx::row& row :
         work.exec("SELECT datname FROM pg_catalog.pg_database WHERE NOT "
                   "datistemplate AND datallowconn ORDER BY 1")) {
      read_database(endpoint, row[0].as<std::string>(), volatile_tables,
                    contents);
    }
    return contents;
  });
}

std::string quote_identifier(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace sidegrade::postgres
