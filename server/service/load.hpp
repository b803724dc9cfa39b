// How much the service has taken on and not yet answered.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

#include "service/failure.hpp"

namespace sotto::server {

/// Counts the bytes of texts that wait or are being rewritten. Safe to use from several threads.
class Load {
 public:
  explicit Load(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Work that counts as long as it lives.
  class Share {
   public:
    Share(Load& load, std::size_t bytes) : load_(load), bytes_(bytes) {}
    ~Share() { load_.end(bytes_); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// The texts are done: what follows is their answer. From one thread at a time.
    void put_back();

   private:
    Load& load_;
    std::size_t bytes_;
  };

  /// A failure if that is too much, or the service is ending.
  Outcome<std::shared_ptr<Share>> take(std::size_t bytes);
  std::size_t bytes() const;
  bool is_ending() const;
  /// From now on nothing is taken; returns when all that was taken is done.
  void drain();

 private:
  void put_back(std::size_t bytes);
  void end(std::size_t bytes);

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t bytes_ = 0;
  std::size_t shares_ = 0;
  bool ending_ = false;
};

}  // namespace sotto::server
