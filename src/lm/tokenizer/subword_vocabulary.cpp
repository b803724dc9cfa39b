#include "lm/tokenizer/subword_vocabulary.hpp"

#include <fmt/format.h>

namespace sotto::lm {

Result<void> SubwordVocabulary::add(std::string_view token, SubwordId id, std::string_view file) {
  if (id > kMaxId)
    return fail(Errc::bad_format, fmt::format("{}: the id {} of a token is above {}", file, id, kMaxId));
  const auto [place, is_new] = ids_.emplace(token, id);
  if (!is_new && place->second != id)
    return fail(Errc::bad_format,
                fmt::format("{}: the token '{}' has two ids, {} and {}", file, token, place->second, id));
  if (id >= tokens_.size()) tokens_.resize(std::size_t{id} + 1, nullptr);
  if (tokens_[id] != nullptr && *tokens_[id] != token)
    return fail(Errc::bad_format,
                fmt::format("{}: the id {} has two tokens, '{}' and '{}'", file, id, *tokens_[id], token));
  tokens_[id] = &place->first;
  return {};
}

std::optional<SubwordId> SubwordVocabulary::find(std::string_view token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

std::string_view SubwordVocabulary::token(SubwordId id) const {
  return has(id) ? std::string_view(*tokens_[id]) : std::string_view();
}

}  // namespace sotto::lm
