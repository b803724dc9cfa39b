// The state shared by all threads of a run.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <sotto/mechanism.hpp>
#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>

#include "pipeline/rewrite/text_mechanism.hpp"
#include "random/bit_sources.hpp"
#include "random/document_stream.hpp"

namespace sotto::pipeline {

/// Immutable.
struct RewriteContext {
  /// `map` is for words outside a vocabulary; tests bring their own.
  static Result<std::shared_ptr<const RewriteContext>> make(
      const PrivatizeOptions& options, std::shared_ptr<const PinnedWordMap> map = PinnedWordMap::shipped());

  /// Whether another run with the same key or seed can repeat the noise.
  bool repeatable() const { return options.keyed() || options.seed; }
  /// Streams for the documents of one data set. Unless noise is repeatable, a forked process has its own, so
  /// that it does not repeat its parent's; fails if the system gave it no random bytes.
  Result<random::DocumentStreams> streams(std::string_view dataset) const;
  /// The same for longer than a document.
  Result<std::shared_ptr<const random::DocumentStreams>> locked_streams(std::string_view dataset) const;
  /// A key for purposes other than noise.
  random::Key subkey(std::string_view purpose) const;
  /// The receipt of a run with these counts.
  Receipt receipt(const Counts& counts) const;

  PrivatizeOptions options;  // as requested
  ParameterValues parameters;
  std::shared_ptr<const TextMechanism> mechanism;
  std::shared_ptr<const random::Key> key;  // in locked memory
  base::Sha256Digest configuration;
};

}  // namespace sotto::pipeline
