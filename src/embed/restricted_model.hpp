// A model restricted to some of its words.
#pragma once

#include <memory>
#include <span>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto::embed {

/// Word i of the result is words[i] of `model`, with its vector, count and order in each list; phrases are
/// omitted. It has the same name, a different digest, and needs no file once made. `words` are distinct, at
/// least one.
Result<std::shared_ptr<const Model>> restrict_model(const Model& model, std::span<const TokenId> words);

}  // namespace sotto::embed
