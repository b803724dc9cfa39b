// WordNet's files: whatever opens answers every query with words or an error.
#include "text/wordnet.hpp"

#include <sotto/tokenizer.hpp>

#include "fuzz.hpp"

namespace {

using namespace sotto;
using fuzz::require;

const std::initializer_list<std::string_view> kFiles = {"index.noun", "data.noun", "noun.exc",  "index.verb",
                                                        "data.verb",  "verb.exc",  "index.adj", "data.adj",
                                                        "adj.exc",    "index.adv", "data.adv",  "adv.exc"};
constexpr std::size_t kMostWords = 64;

void ask(const text::WordNet& wordnet, std::string_view word) {
  for (std::size_t part = 0; part < text::kPartsOfSpeech; ++part)
    (void)wordnet.base_forms(word, static_cast<text::PartOfSpeech>(part));
  for (const text::Synset& synset : wordnet.synsets(word))
    if (const auto words = wordnet.words(synset))
      for (const std::string_view found : *words) require(!found.empty(), "a synset's words are not empty");
  (void)wordnet.antonyms(word);
}

}  // namespace

SOTTO_FUZZ_TARGET(wordnet) {
  const auto wordnet = text::WordNet::open(fuzz::unpack(input, "wordnet", kFiles, true));
  if (!wordnet) return;
  (void)wordnet->digest();
  std::size_t asked = 0;
  while (!input.empty() && asked++ < kMostWords) {  // the first words of the files themselves
    const std::size_t end = std::min(input.find_first_of(" \n"), input.size());
    ask(*wordnet, input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
}
