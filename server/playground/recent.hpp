// What is expensive to open, kept while it is used.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace sotto::server {

/// Keeps those that were used last. Safe to use from several threads.
template <class T>
class Recent {
 public:
  explicit Recent(std::size_t most) : most_(most) {}

  /// nullptr: there is none of this name.
  std::shared_ptr<const T> find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }

  /// Replaces what has this name.
  void keep(const std::string& name, std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_name_.find(name); found != by_name_.end()) entries_.erase(found->second);
    entries_.emplace_front(name, std::move(value));
    by_name_[name] = entries_.begin();
    if (entries_.size() <= most_) return;
    by_name_.erase(entries_.back().first);
    entries_.pop_back();
  }

 private:
  using Entries = std::list<std::pair<std::string, std::shared_ptr<const T>>>;

  std::size_t most_;
  std::mutex mutex_;
  Entries entries_;  // the one used last first
  std::map<std::string, typename Entries::iterator> by_name_;
};

}  // namespace sotto::server
