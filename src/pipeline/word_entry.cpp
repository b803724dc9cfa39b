#include "pipeline/word_entry.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <sotto/collocations.hpp>
#include <sotto/document_guarantee.hpp>
#include <sotto/tokenizer.hpp>

#include "base/checked_value.hpp"
#include "mechanisms/word_row.hpp"
#include "pipeline/rewrite/outside_words.hpp"

namespace sotto {
using namespace pipeline;
namespace {

TokenId find_word_or_phrase(const Model& model, std::string_view word) {
  const TokenId id = model.find(word);
  if (id != model.bottom() || word.find(' ') == std::string_view::npos) return id;
  std::string joined(word);
  std::replace(joined.begin(), joined.end(), ' ', kPhraseJoint);
  return model.find(joined);
}

/// The token that a document would send through the mechanism; punctuation around it passes it by.
Result<std::string_view> only_word(std::string_view text) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  std::erase_if(tokens, [](const Token& token) {
    return token.token_class == TokenClass::number || token.token_class == TokenClass::punctuation;
  });
  if (tokens.empty())
    return fail(Errc::invalid_argument,
                fmt::format("'{}' is not a word: numbers and punctuation do not enter the mechanism", text));
  if (tokens.size() > 1)
    return fail(
        Errc::invalid_argument,
        fmt::format("'{}' is {} words and no phrase of the model; give one of them", text, tokens.size()));
  return text.substr(tokens.front().begin, tokens.front().end - tokens.front().begin);
}

EntryPath entry_path(embed::WordPath path) {
  switch (path) {
    case embed::WordPath::folded:
      return EntryPath::folded;
    case embed::WordPath::corrected:
      return EntryPath::corrected;
    case embed::WordPath::subword:
      return EntryPath::subword;
    case embed::WordPath::none:
      break;
  }
  return EntryPath::uniform;
}

}  // namespace

Result<WordInput> pipeline::find_input(std::string_view word, const Model& model, OovPolicy oov,
                                       std::shared_ptr<const PinnedWordMap> map) {
  if (oov != OovPolicy::nearest && oov != OovPolicy::bottom)
    return base::not_allowed("oov", to_string(oov), "nearest or bottom");
  std::uint64_t ignored = 0;
  const std::string text = replace_invalid_utf8(word, ignored);
  TokenId id = find_word_or_phrase(model, text);
  std::string_view token = text;
  if (id == model.bottom()) {
    SOTTO_ASSIGN(token, only_word(text));
    id = model.find(token);
  }
  if (id != model.bottom()) return WordInput{id, {EntryPath::vocabulary, std::string(model.word(id))}};
  if (oov == OovPolicy::bottom) return WordInput{model.bottom(), {EntryPath::bottom, ""}};
  SOTTO_ASSIGN(const OutsidePlace place, OutsideWords(model, std::move(map)).find(token));
  if (place.path == embed::WordPath::none)
    return WordInput{mechanism::uniform_input(model.size()), {EntryPath::uniform, ""}};
  return WordInput{place.word, {entry_path(place.path), std::string(model.word(place.word))}};
}

Guarantee pipeline::with_mapped_words(Guarantee token) {
  token.statement = guarantee_for_texts(token, TextRules{}).statement;
  return token;
}

const char* to_string(EntryPath path) {
  return kEntryPathNames[static_cast<std::size_t>(path)].data();
}

Result<void> pipeline::check_amounts(const ExplainOptions& options) {
  if (options.top < 1 || options.top > kMostListedOutputs)
    return base::not_allowed("top", options.top,
                             fmt::format("a whole number from 1 to {}", kMostListedOutputs));
  if (options.draws < 1 || options.draws > kMostExplainingDraws)
    return base::not_allowed("draws", options.draws,
                             fmt::format("a whole number from 1 to {}", kMostExplainingDraws));
  return {};
}

}  // namespace sotto
