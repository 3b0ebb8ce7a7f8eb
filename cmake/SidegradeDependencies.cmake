# Everything from outside, all of it in Debian 12 (scripts/packages.sh installs it).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(libarchive REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(libpci REQUIRED IMPORTED_TARGET libpci)
pkg_check_modules(libmount REQUIRED IMPORTED_TARGET mount)
pkg_check_modules(libpq REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(libpqxx REQUIRED IMPORTED_TARGET libpqxx)

# libpqxx 6 uses std::iterator and other things that C++20 warns of: a system header.
add_library(sidegrade_pqxx INTERFACE)
add_library(Sidegrade::pqxx ALIAS sidegrade_pqxx)
target_link_libraries(sidegrade_pqxx INTERFACE PkgConfig::libpqxx PkgConfig::libpq)

# psql's own lexer, from postgresql-server-dev-15: static libraries of PostgreSQL's
# front ends, found through that version's pg_config.
set(SIDEGRADE_PG_CONFIG /usr/lib/postgresql/15/bin/pg_config CACHE FILEPATH
    "pg_config of the PostgreSQL whose psql lexer is linked")
execute_process(COMMAND ${SIDEGRADE_PG_CONFIG} --pkglibdir
                OUTPUT_VARIABLE pg_libdir OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${SIDEGRADE_PG_CONFIG} --includedir-server
                OUTPUT_VARIABLE pg_incdir OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${SIDEGRADE_PG_CONFIG} --pkgincludedir
                OUTPUT_VARIABLE pg_pkgincdir OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
foreach(lib pgfeutils pgcommon pgport)
  find_library(SIDEGRADE_${lib} lib${lib}.a PATHS ${pg_libdir} NO_DEFAULT_PATH REQUIRED)
endforeach()
add_library(sidegrade_psqlscan INTERFACE)
add_library(Sidegrade::psqlscan ALIAS sidegrade_psqlscan)
target_include_directories(sidegrade_psqlscan SYSTEM INTERFACE
  ${pg_incdir} ${pg_pkgincdir}/internal)
target_link_libraries(sidegrade_psqlscan INTERFACE
  ${SIDEGRADE_pgfeutils} ${SIDEGRADE_pgcommon} ${SIDEGRADE_pgport} PkgConfig::libpq)
