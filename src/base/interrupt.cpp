#include "base/interrupt.h"

#include <poll.h>
#include <sys/signalfd.h>

#include <csignal>
#include <thread>

#include "base/error.h"

namespace sidegrade::base {
namespace {

bool readable_within(int fd, std::chrono::milliseconds time) {
  pollfd poll_fd{fd, POLLIN, 0};
  return poll(&poll_fd, 1, static_cast<int>(time.count())) > 0;
}

}  // namespace

Interrupt Interrupt::never() { return Interrupt(UniqueFd()); }

Interrupt Interrupt::on_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  UniqueFd fd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) throw_errno("signalfd could not be made");
  return Interrupt(std::move(fd));
}

bool Interrupt::requested() const {
  return fd_ && readable_within(fd_.get(), std::chrono::milliseconds(0));
}

void Interrupt::check() const {
  if (requested()) throw Interrupted();
}

void Interrupt::sleep(std::chrono::milliseconds time) const {
  if (!fd_) {
    std::this_thread::sleep_for(time);
  } else if (readable_within(fd_.get(), time)) {
    throw Interrupted();
  }
}

}  // namespace sidegrade::base
