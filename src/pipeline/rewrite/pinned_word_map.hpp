// The map of strings to words as a run uses it: known by its digest from the start, opened when first needed.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <sotto/result.hpp>

#include "embed/word_map.hpp"

namespace sotto::pipeline {

/// The digest is part of every document's stream key, so it must be known before the first document; the map
/// itself takes time to open, and most texts need it late or never. What is opened must have that digest: a
/// file that was exchanged is an error, never another output. Thread-safe.
class PinnedWordMap {
 public:
  /// WordMap::find of the opened map.
  using Find = std::function<embed::WordPath(std::string_view token,
                                             const std::function<bool(std::string_view word)>& accept)>;
  struct Opened {
    std::string digest;  ///< computed from what was opened
    Find find;
  };

  /// `open` is called at most once.
  PinnedWordMap(std::string digest, std::function<Result<Opened>()> open)
      : digest_(std::move(digest)), open_(std::move(open)) {}

  /// The map that is installed with the models. Opens nothing.
  static std::shared_ptr<const PinnedWordMap> shipped();

  const std::string& digest() const { return digest_; }

  /// Opens the map if that has not happened yet. The result lives as long as this object.
  Result<const Find*> find() const;

 private:
  Result<Find> opened() const;

  std::string digest_;
  std::function<Result<Opened>()> open_;
  mutable std::once_flag once_;
  mutable std::optional<Result<Find>> find_;
};

}  // namespace sotto::pipeline
