#include "pipeline/rewrite/display_words.hpp"

#include <algorithm>
#include <cstring>

#include "pipeline/rewrite/model_phrases.hpp"
#include "text/articles.hpp"
#include "text/letter_case.hpp"
#include "text/output_buffer.hpp"

namespace sotto::pipeline {
namespace {

bool is_pronoun_i(std::string_view word) {
  return word == "i" || word == "i'm" || word == "i'll" || word == "i've" || word == "i'd";
}

/// The form in the table; empty: none.
std::string_view form_of(std::string_view word, const WordSpelling& spelling) {
  if (spelling.forms == nullptr) return {};
  // Nearly all words of nearly all models are in lower case already.
  const bool is_lower = std::all_of(word.begin(), word.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && text::ascii_lower(c) == c;
  });
  return is_lower ? spelling.forms->find(word) : spelling.forms->find(text::to_lower(word));
}

std::string spelled(std::string_view word, const WordSpelling& spelling) {
  if (spelling.letter_case == CasePolicy::lower) return text::to_lower(word);
  if (const std::string_view form = form_of(word, spelling); !form.empty()) return std::string(form);
  std::string text(word);
  if (is_pronoun_i(word)) text[0] = 'I';
  return text;
}

std::string spelled_phrase(std::string_view phrase, const WordSpelling& spelling) {
  std::string text;
  if (const std::string_view form = form_of(phrase, spelling); !form.empty()) {
    text = form;
    std::replace(text.begin(), text.end(), kPhraseJoint, ' ');
    return text;
  }
  while (true) {
    const std::size_t joint = phrase.find(kPhraseJoint);
    text += spelled(phrase.substr(0, joint), spelling);
    if (joint == std::string_view::npos) return text;
    text += ' ';
    phrase.remove_prefix(joint + 1);
  }
}

}  // namespace

DisplayWords::DisplayWords(const Model& model, const WordSpelling& spelling, bool phrases) {
  slots_.reserve(model.size() + text::kTextPadding / sizeof(Slot));
  for (TokenId id = 0; id < model.size(); ++id) {
    const std::string_view word = model.word(id);
    if (phrases && count_words(word) > 1)
      add(spelled_phrase(word, spelling), spelling);
    else
      add(spelled(word, spelling), spelling);
  }
  slots_.resize(slots_.size() + text::kTextPadding / sizeof(Slot));
}

DisplayWords::DisplayWords(std::span<const std::string> words, const WordSpelling& spelling) {
  slots_.reserve(words.size() + text::kTextPadding / sizeof(Slot));
  for (const std::string& word : words) add(spelled(word, spelling), spelling);
  slots_.resize(slots_.size() + text::kTextPadding / sizeof(Slot));
}

void DisplayWords::add(std::string_view word, const WordSpelling& spelling) {
  Slot& slot = slots_.emplace_back();
  const bool article = spelling.finds_articles && text::ends_in_article(word);
  if (word.size() <= sizeof(slot.text) && !article) {
    slot.length = static_cast<unsigned char>(word.size());
    std::memcpy(slot.text, word.data(), word.size());
    return;
  }
  slot.length = article ? kArticle : kLong;
  const std::size_t index = long_words_.size();
  std::memcpy(slot.text, &index, sizeof(index));
  long_words_.emplace_back(word).reserve(word.size() + text::kTextPadding);
}

std::string_view DisplayWords::long_word(const Slot& slot) const {
  std::size_t index = 0;
  std::memcpy(&index, slot.text, sizeof(index));
  return long_words_[index];
}

}  // namespace sotto::pipeline
