#include "lm/tokenizer/word_piece_model.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace sotto::lm {
namespace {

std::size_t count_chars(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// The reference's clean-up of each token.
void clean_up(std::string& token) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kReplacements = {{
      {" .", "."},
      {" ?", "?"},
      {" !", "!"},
      {" ,", ","},
      {" ' ", "'"},
      {" n't", "n't"},
      {" 'm", "'m"},
      {" do not", " don't"},
      {" 's", "'s"},
      {" 've", "'ve"},
      {" 're", "'re"},
  }};
  for (const auto& [from, to] : kReplacements)
    for (std::size_t at = token.find(from); at != std::string::npos; at = token.find(from, at + to.size()))
      token.replace(at, from.size(), to);
}

}  // namespace

Result<std::unique_ptr<const SubwordModel>> WordPieceModel::make(const SubwordVocabulary& vocabulary,
                                                                 const WordPieceSettings& settings,
                                                                 std::string_view file) {
  const auto unknown = vocabulary.find(settings.unknown);
  if (!unknown)
    return fail(Errc::bad_format, fmt::format("{}: the vocabulary lacks the token '{}' for unknown words",
                                              file, settings.unknown));
  std::unique_ptr<WordPieceModel> model(new WordPieceModel(settings, *unknown));
  for (SubwordId id = 0; id < vocabulary.size(); ++id) {
    const std::string_view token = vocabulary.token(id);
    if (token.empty()) continue;
    model->starts_.insert(token, id);
    if (token.starts_with(settings.continuation))
      model->continuations_.insert(token.substr(settings.continuation.size()), id);
  }
  return model;
}

void WordPieceModel::normalize(std::string_view segment, bool track, NormalizedText& out) const {
  normalize_bert(segment, settings_.normalization, track, out);
}

void WordPieceModel::encode(std::string_view normalized, SegmentPlace /*place*/, PieceSink& sink) const {
  for (std::size_t position = 0; position < normalized.size();) {
    const IndexRange word = next_bert_word(normalized, position);
    position = word.end;
    if (word.begin == word.end) continue;
    cache_.visit(
        normalized.substr(word.begin, word.end - word.begin),
        [this](std::string_view fresh, std::vector<WordPart>& parts) { cut(fresh, parts); },
        [&](const std::vector<WordPart>& parts) {
          for (const WordPart& part : parts)
            sink.add(part.id, word.begin + part.begin, word.begin + part.end);
        });
  }
}

void WordPieceModel::cut(std::string_view word, std::vector<WordPart>& parts) const {
  const WordPart whole = {unknown_, 0, static_cast<std::uint32_t>(word.size())};
  if (word.size() > settings_.max_word_chars && count_chars(word) > settings_.max_word_chars) {
    parts.push_back(whole);
    return;
  }
  for (std::size_t begin = 0; begin < word.size();) {
    const auto match = (begin == 0 ? starts_ : continuations_).longest(word.substr(begin));
    if (!match || match->length == 0) {
      parts.assign(1, whole);
      return;
    }
    parts.push_back(
        {match->value, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + match->length)});
    begin += match->length;
  }
}

std::string WordPieceModel::decode(std::span<const std::string_view> tokens) const {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool continues = i > 0 && tokens[i].starts_with(settings_.continuation);
    std::string token(i > 0 && !continues ? " " : "");
    token += continues ? tokens[i].substr(settings_.continuation.size()) : tokens[i];
    if (settings_.clean_up) clean_up(token);
    text += token;
  }
  return text;
}

bool WordPieceModel::starts_word(std::string_view token) const {
  return !token.starts_with(settings_.continuation);
}

std::string WordPieceModel::surface(std::string_view token) const {
  return std::string(starts_word(token) ? token : token.substr(settings_.continuation.size()));
}

}  // namespace sotto::lm
