#include "pipeline/display_words.hpp"

#include <cstring>

#include "text/letter_case.hpp"
#include "text/output_buffer.hpp"

namespace sotto {
namespace {

bool is_pronoun_i(std::string_view word) {
  return word == "i" || word == "i'm" || word == "i'll" || word == "i've" || word == "i'd";
}

}  // namespace

DisplayWords::DisplayWords(const Model& model, CasePolicy letter_case) {
  slots_.reserve(model.size() + kTextPadding / sizeof(Slot));
  for (TokenId id = 0; id < model.size(); ++id) {
    const std::string_view word = model.word(id);
    if (letter_case == CasePolicy::lower) {
      add(to_lower(word));
    } else if (is_pronoun_i(word)) {
      std::string spelled(word);
      spelled[0] = 'I';
      add(spelled);
    } else {
      add(word);
    }
  }
  slots_.resize(slots_.size() + kTextPadding / sizeof(Slot));
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
  long_words_.emplace_back(word).reserve(word.size() + kTextPadding);
}

std::string_view DisplayWords::long_word(const Slot& slot) const {
  std::size_t index = 0;
  std::memcpy(&index, slot.text, sizeof(index));
  return long_words_[index];
}

}  // namespace sotto
