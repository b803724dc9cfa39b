#include "service/load.hpp"

#include <algorithm>
#include <utility>

namespace sotto::server {

Outcome<std::shared_ptr<Load::Share>> Load::take(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return unavailable("the service is ending");
    // Alone, a request may be as large as its own limits allow.
    if (bytes_ > 0 && bytes > most_bytes_ - std::min(bytes_, most_bytes_))
      return overloaded("too many texts wait already");
    bytes_ += bytes;
    ++shares_;
  }
  return std::make_shared<Share>(*this, bytes);
}

std::size_t Load::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

bool Load::is_ending() const {
  const std::lock_guard lock(mutex_);
  return ending_;
}

void Load::drain() {
  std::unique_lock lock(mutex_);
  ending_ = true;
  idle_.wait(lock, [this] { return shares_ == 0; });
}

void Load::Share::put_back() {
  load_.put_back(std::exchange(bytes_, 0));
}

void Load::put_back(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ -= bytes;
}

void Load::end(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ -= bytes;
  if (--shares_ == 0) idle_.notify_all();
}

}  // namespace sotto::server
