#pragma once

#include <sys/resource.h>

#include <csignal>

namespace sidegrade::test {

/// From now on this process can't write a file beyond `bytes`: what fits is
/// written, then errno is EFBIG, as a full disk would have it.
inline void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace sidegrade::test
