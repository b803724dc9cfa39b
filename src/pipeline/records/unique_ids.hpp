// Detects repeated ids.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "random/bit_sources.hpp"

namespace sotto::pipeline {

/// What is remembered of an id. Reveals nothing about it without the key.
using IdHash = std::array<std::uint64_t, 2>;

/// A set of ids. It takes about 48 bytes per id, however long; two different ids are taken for the same with
/// probability below n²/2^129 for n ids.
class UniqueIds {
 public:
  explicit UniqueIds(const random::Key& key) : key_(key) {}

  /// May be called from several threads.
  IdHash hash(std::string_view dataset, std::string_view id, std::string_view field = {}) const;

  /// Returns false if it is already present. Calls must be serialized.
  bool insert(const IdHash& hash) { return seen_.insert(hash).second; }

 private:
  struct FirstHalf {
    std::size_t operator()(const IdHash& hash) const noexcept { return hash[0]; }
  };

  random::Key key_;
  std::unordered_set<IdHash, FirstHalf> seen_;
};

/// The ids of a chunk's records, in order.
class IdLog {
 public:
  struct Entry {
    std::uint64_t record;
    IdHash hash;
  };

  IdLog(const UniqueIds& ids, std::string dataset) : ids_(&ids), dataset_(std::move(dataset)) {}
  void add(std::uint64_t record, std::string_view id) {
    entries_.push_back({record, ids_->hash(dataset_, id)});
  }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  const UniqueIds* ids_;
  std::string dataset_;
  std::vector<Entry> entries_;
};

}  // namespace sotto::pipeline
