// Metrics of rewritten texts: pairs of an original and its privatized version, as Sotto tokenizes them. Words
// are the tokens that are not punctuation, compared in lower case, since a policy may change letter case.
// Shares lie in [0, 1]. Everything here is thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>

namespace sotto::text {

class WordNet;

}  // namespace sotto::text

namespace sotto::evaluate {

struct RewrittenText {
  std::string_view original;
  std::string_view privatized;
};

/// A count out of a total; the shares of several texts add up to the share of all of them.
struct Share {
  std::uint64_t part = 0;
  std::uint64_t whole = 0;

  double value() const { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }
  Share& operator+=(const Share& other) {
    part += other.part;
    whole += other.whole;
    return *this;
  }
};

/// The words of a text, in lower case. Any bytes are allowed.
std::vector<std::string> words_of(std::string_view text);

/// All tokens of a text, including punctuation, in lower case: the input of BLEU.
std::vector<std::string> tokens_of(std::string_view text);

/// PP: how many words of the original are different in the privatized text. Texts with the same number of
/// words are compared position by position. Otherwise a word counts as kept if it belongs to a longest common
/// subsequence. An empty original gives 0 of 0.
Share perturbed_words(const RewrittenText& pair);

/// How the number of tokens, including punctuation, changed.
struct LengthChange {
  std::uint64_t texts = 0;
  std::uint64_t original_tokens = 0;
  std::uint64_t privatized_tokens = 0;
  std::uint64_t absolute_change = 0;  ///< Σ |privatized − original| over the texts

  double mean_absolute_change() const;  ///< tokens per text; 0 without texts
  double length_ratio() const;          ///< privatized tokens per original token; 1 without tokens
  LengthChange& operator+=(const LengthChange& other);
};

LengthChange length_change(const RewrittenText& pair);

/// LOW: the share of the `k` least frequent words of the original data set that occur in the privatized one.
/// The paper's 1,000 words usually end within the words that occur once; instead of choosing some of them,
/// all words as frequent as the last one share the remaining places. With fewer than `k` distinct words, all.
double least_occurring_words(std::span<const std::string> originals, std::span<const std::string> privatized,
                             std::size_t k = 1000);

/// Whether a word, given in lower case, belongs to the language.
using WordTest = std::function<bool(std::string_view word)>;

/// True for the words of the model, which must outlive the test.
WordTest word_test(const Model& model);
/// True for words and inflected forms of WordNet, which must outlive the test, and for English stopwords,
/// most of which WordNet does not list.
WordTest word_test(const text::WordNet& wordnet);
/// True for these words, in any letter case, for example from a list such as the one the paper used.
WordTest word_test(std::span<const std::string> words);

/// How many words (not counting numbers) of a text pass the test.
Share known_words(std::string_view text, const WordTest& test);

/// The similarity of an original text and its privatized version.
class TextSimilarity {
 public:
  virtual ~TextSimilarity() = default;
  virtual std::string name() const = 0;
  /// The cosine similarity of each pair, in order, between −1 and 1. It is 1 for two empty texts, 0 if only
  /// one is empty. One thread at a time.
  virtual Result<std::vector<double>> similarities(std::span<const RewrittenText> pairs) = 0;
};

/// Texts as the mean of their words' vectors; words outside the vocabulary do not count, and a text without a
/// word that counts is treated as empty. Rejects a model without vectors.
Result<std::unique_ptr<TextSimilarity>> make_average_vector_similarity(std::shared_ptr<const Model> model,
                                                                       unsigned threads = 0);

}  // namespace sotto::evaluate
