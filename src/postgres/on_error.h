#pragma once

namespace sidegrade::postgres {

/// What an SQL error does: ends the script, or (as psql does by default) is
/// counted while the script goes on.
enum class OnError { kStop, kContinue };

}  // namespace sidegrade::postgres
