#include "pipeline/rewrite/display_words.hpp"

#include <algorithm>
#include <cstring>

#include "pipeline/rewrite/model_phrases.hpp"
#include "text/letter_case.hpp"
#include "text/output_buffer.hpp"

namespace sotto::pipeline {
namespace {

bool is_pronoun_i(std::string_view word) {
  return word == "i" || word == "i'm" || word == "i'll" || word == "i've" || word == "i'd";
}

/// How words are written.
struct WordSpelling {
  CasePolicy letter_case;
  const embed::WordForms* forms;

  /// Empty: none.
  std::string_view form(std::string_view word) const {
    return forms == nullptr ? std::string_view() : forms->find(text::to_lower(word));
  }
};

std::string spelled(std::string_view word, const WordSpelling& spelling) {
  if (spelling.letter_case == CasePolicy::lower) return text::to_lower(word);
  if (const std::string_view form = spelling.form(word); !form.empty()) return std::string(form);
  std::string text(word);
  if (is_pronoun_i(word)) text[0] = 'I';
  return text;
}

std::string spelled_phrase(std::string_view phrase, const WordSpelling& spelling) {
  std::string text;
  if (const std::string_view form = spelling.form(phrase); !form.empty()) {
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

DisplayWords::DisplayWords(const Model& model, CasePolicy letter_case, const embed::WordForms* forms,
                           bool phrases) {
  const WordSpelling spelling{letter_case, forms};
  slots_.reserve(model.size() + text::kTextPadding / sizeof(Slot));
  for (TokenId id = 0; id < model.size(); ++id) {
    const std::string_view word = model.word(id);
    if (phrases && count_words(word) > 1)
      add(spelled_phrase(word, spelling));
    else
      add(spelled(word, spelling));
  }
  slots_.resize(slots_.size() + text::kTextPadding / sizeof(Slot));
}

DisplayWords::DisplayWords(std::span<const std::string> words, CasePolicy letter_case,
                           const embed::WordForms* forms) {
  slots_.reserve(words.size() + text::kTextPadding / sizeof(Slot));
  for (const std::string& word : words) add(spelled(word, {letter_case, forms}));
  slots_.resize(slots_.size() + text::kTextPadding / sizeof(Slot));
}

void DisplayWords::add(std::string_view word) {
  Slot& slot = slots_.emplace_back();
  if (word.size() <= sizeof(slot.text)) {
    slot.length = static_cast<unsigned char>(word.size());
    std::memcpy(slot.text, word.data(), word.size());
    return;
  }
  slot.length = kLong;
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
