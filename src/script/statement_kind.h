#pragma once

#include <string_view>

namespace sidegrade::script {

/// To which part of a dump a statement belongs.
enum class StatementKind {
  kData,      ///< brings rows, large objects, values of sequences
  kPostData,  ///< indexes, constraints and what else follows the data
  kOther,
};

/// By its first words (comments passed over).
StatementKind classify_statement(std::string_view text);

/// Whether it keeps rows from being loaded side by side: a foreign key, trigger
/// or rule, or a table that only this session has.
bool ties_rows_together(std::string_view text);

/// The database that a DROP (or CREATE) DATABASE names; empty: it is none.
std::string_view dropped_database(std::string_view text);
std::string_view created_database(std::string_view text);

}  // namespace sidegrade::script
