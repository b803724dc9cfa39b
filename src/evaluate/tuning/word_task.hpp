// A list of words with labels, by which a word-level mechanism is judged.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <sotto/model.hpp>
#include <sotto/result.hpp>
#include <sotto/tune.hpp>

#include "audit/attack/guesses.hpp"

namespace sotto::evaluate {

/// d_L(w, w′) for the words of a model. Immutable, so safe to share between threads.
class WordLosses {
 public:
  /// By class: `class_of` has one class per word, `losses` is row-major, from the input's class to the
  /// output's.
  WordLosses(std::vector<std::uint32_t> class_of, std::vector<double> losses);

  /// Sets the loss of a pair of words, overriding their classes.
  void set(TokenId in, TokenId out, double loss);

  double operator()(TokenId in, TokenId out) const {
    if (!pairs_.empty()) {
      const auto found = pairs_.find(key(in, out));
      if (found != pairs_.end()) return found->second;
    }
    if (in == out) return 0;
    return losses_[class_of_[in] * classes_ + class_of_[out]];
  }

  /// An upper bound of all losses.
  double largest() const { return largest_; }

 private:
  static std::uint64_t key(TokenId in, TokenId out) { return std::uint64_t{in} << 32 | out; }

  std::vector<std::uint32_t> class_of_;
  std::size_t classes_;
  std::vector<double> losses_;
  std::unordered_map<std::uint64_t, double> pairs_;
  double largest_ = 0;
};

/// Immutable, so safe to share between threads.
struct WordTask {
  std::shared_ptr<const Model> model;  ///< its words are the outputs
  audit::Secrets secrets;              ///< the listed words that it has, and their prior
  WordLosses losses;
  std::uint64_t listed = 0;  ///< distinct words in the list

  /// Reads the files; `model` is restricted to the listed words unless the options say otherwise. Every error
  /// names the file and the line, or the option.
  static Result<WordTask> read(std::shared_ptr<const Model> model, const WordTaskOptions& options);

  /// Same for several models, in their order. Words that one of them lacks are left out for all, so that
  /// every task has the same secrets.
  static Result<std::vector<WordTask>> read_all(const std::vector<std::shared_ptr<const Model>>& models,
                                                const WordTaskOptions& options);
};

}  // namespace sotto::evaluate
