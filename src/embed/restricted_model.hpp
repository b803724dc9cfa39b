// A model of some of the words of another one.
#pragma once

#include <memory>
#include <span>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto {

/// Word i of the result is words[i] of `model`, with its vector, its count and its order in each list;
/// phrases are left out. It has the same name, another digest, and needs no file once it is made. `words` are
/// distinct, at least one.
Result<std::shared_ptr<const Model>> restrict_model(const Model& model, std::span<const TokenId> words);

}  // namespace sotto
