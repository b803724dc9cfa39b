// What a model accepts as input. All functions throw Failure if something is out of range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lm/language_model.hpp"

namespace sotto::lm {

/// Everything in a sequence must be below these.
struct InputLimits {
  std::int64_t ids = 0;
  std::int64_t positions = 0;
  std::int64_t segments = 1;
  std::int64_t pieces = 1;
};

/// The room that the caller gives for answers.
struct AnswerRoom {
  std::size_t per_answer;
  std::size_t numbers;  ///< in all
};

/// No sequence is empty or too long, and every number in it is in range.
void check_sequences(std::span<const Sequence> sequences, const InputLimits& limits);

/// The same, with one place in each sequence and room for one answer each.
void check_places(std::span<const Sequence> sequences, std::span<const std::uint32_t> places,
                  const InputLimits& limits, const AnswerRoom& room);

/// The same, with one place or more in each sequence. Returns the index of each sequence's first answer, and
/// their number.
std::vector<std::uint32_t> check_place_lists(std::span<const Sequence> sequences,
                                             std::span<const std::vector<std::uint32_t>> places,
                                             const InputLimits& limits, const AnswerRoom& room);

/// There is a prompt, and room for as many logits per prompt as there are ids.
void check_prompts(std::span<const Sequence> prompts, const InputLimits& limits, std::size_t logits);

/// There is one token per text, all are ids, and the room for their logits matches.
void check_tokens(std::span<const std::int32_t> tokens, std::size_t texts, const InputLimits& limits,
                  std::size_t logits);

}  // namespace sotto::lm
