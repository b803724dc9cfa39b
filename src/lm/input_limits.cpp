#include "lm/input_limits.hpp"

#include <fmt/format.h>

#include "lm/failure.hpp"

namespace sotto::lm {
namespace {

void check_input_numbers(const std::vector<std::int32_t>& numbers, std::int64_t limit, std::size_t expected,
                         std::size_t sequence, const char* what) {
  if (!numbers.empty() && numbers.size() != expected)
    refuse(Errc::invalid_argument,
           fmt::format("sequence {} has {} ids but {} {}", sequence, expected, numbers.size(), what));
  for (const std::int32_t number : numbers)
    if (number < 0 || number >= limit)
      refuse(Errc::invalid_argument,
             fmt::format("sequence {}: {} {} is not from 0 to {}", sequence, what, number, limit - 1));
}

void check_place(std::uint32_t place, const Sequence& sequence, std::size_t number) {
  if (place >= sequence.ids.size())
    refuse(Errc::invalid_argument,
           fmt::format("sequence {}: place {} is not from 0 to {}", number, place, sequence.ids.size() - 1));
}

}  // namespace

void check_sequences(std::span<const Sequence> sequences, const InputLimits& limits) {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const Sequence& sequence = sequences[i];
    const std::size_t size = sequence.ids.size();
    if (size == 0) refuse(Errc::invalid_argument, fmt::format("sequence {} is empty", i));
    if (sequence.positions.empty() && size > static_cast<std::size_t>(limits.positions))
      refuse(Errc::limit,
             fmt::format("sequence {} has {} ids; the model takes at most {}", i, size, limits.positions));
    check_input_numbers(sequence.ids, limits.ids, size, i, "id");
    check_input_numbers(sequence.positions, limits.positions, size, i, "position");
    check_input_numbers(sequence.segments, limits.segments, size, i, "segment");
    check_input_numbers(sequence.pieces, limits.pieces, size, i, "piece");
  }
}

void check_places(std::span<const Sequence> sequences, std::span<const std::uint32_t> places,
                  const InputLimits& limits, const AnswerRoom& room) {
  if (places.size() != sequences.size() || room.numbers != sequences.size() * room.per_answer)
    refuse(Errc::invalid_argument, fmt::format("{} sequences need as many masked places and {} logits each",
                                               sequences.size(), room.per_answer));
  check_sequences(sequences, limits);
  for (std::size_t i = 0; i < sequences.size(); ++i) check_place(places[i], sequences[i], i);
}

std::vector<std::uint32_t> check_place_lists(std::span<const Sequence> sequences,
                                             std::span<const std::vector<std::uint32_t>> places,
                                             const InputLimits& limits, const AnswerRoom& room) {
  if (places.size() != sequences.size())
    refuse(Errc::invalid_argument, fmt::format("{} sequences need a list of places each", sequences.size()));
  check_sequences(sequences, limits);
  std::vector<std::uint32_t> firsts = {0};
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (places[i].empty()) refuse(Errc::invalid_argument, fmt::format("sequence {} has no place", i));
    for (const std::uint32_t place : places[i]) check_place(place, sequences[i], i);
    firsts.push_back(firsts.back() + static_cast<std::uint32_t>(places[i].size()));
  }
  if (room.numbers != firsts.back() * room.per_answer)
    refuse(Errc::invalid_argument,
           fmt::format("{} places need {} logits each", firsts.back(), room.per_answer));
  return firsts;
}

void check_prompts(std::span<const Sequence> prompts, const InputLimits& limits, std::size_t logits) {
  if (prompts.empty() || logits != prompts.size() * static_cast<std::size_t>(limits.ids))
    refuse(Errc::invalid_argument, fmt::format("{} prompts need {} logits each", prompts.size(), limits.ids));
  check_sequences(prompts, limits);
}

void check_tokens(std::span<const std::int32_t> tokens, std::size_t texts, const InputLimits& limits,
                  std::size_t logits) {
  if (tokens.size() != texts || logits != texts * static_cast<std::size_t>(limits.ids))
    refuse(Errc::invalid_argument, fmt::format("there are {} texts, with {} logits each", texts, limits.ids));
  // Their number is not a length, so all of them get position 0.
  const std::vector<std::int32_t> positions(tokens.size());
  check_sequences(std::vector<Sequence>{{{tokens.begin(), tokens.end()}, positions, {}, {}}}, limits);
}

}  // namespace sotto::lm
