// The public map of strings to words: it gives tokens that a model's vocabulary lacks ("Café", "soooo",
// "recieve", "#ThrowbackThursday") a word of their own. Metric privacy allows any such map that does not
// depend on the data.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <sotto/result.hpp>

namespace sotto::embed {

/// The version of the rules of WordMap::find. Raise it with every change that gives a string another word:
/// the digest vouches for the file only.
inline constexpr int kWordMapVersion = 3;

/// How a token outside a model's vocabulary found its place.
enum class WordPath { folded, corrected, subword, none };

/// The candidates for a string are, in this order:
///   folded     the word without case and accents, a drawn-out spelling shortened ("soooo"), an everyday
///              abbreviation written out; a dotted one ("p.m.") written out, or without its full stops unless
///              that is a stopword ("U.S.");
///   corrected  the word with a letter doubled or not ("begining");
///   folded     the stem of a known ending; the known parts of a compound ("#ThrowbackThursday"), the rarest
///   first,
///              because it tells most;
///   corrected  words within one edit, the most likely first;
///   subword    two common words written as one, the rarer first;
///   corrected  words within two edits;
///   subword    all words, those near the sum of the vectors of the string's n-grams first (SubwordRanking).
/// Immutable, so safe to share between threads. Keeps nothing about the strings: what one document contains
/// cannot be told from the time that another takes.
class WordMap {
 public:
  /// The error names the file and what is wrong with it.
  static Result<std::shared_ptr<const WordMap>> open(const std::filesystem::path& file);
  ~WordMap();

  /// Calls accept(word) with candidates, best first, until it returns true. Returns the path of the accepted
  /// one, or `none` if the token has no meaningful place (a URL, an e-mail address, a handle with its @,
  /// letters glued to digits, another script, letters that form no English syllables) or no candidate was
  /// accepted. A word may be offered more than once. All words are offered in the end, unless there is no
  /// meaningful place. A function of the characters and the file alone. Takes time linear in the token's
  /// length up to 48 letters, and for longer tokens only looks at each character once.
  WordPath find(std::string_view token, const std::function<bool(std::string_view)>& accept) const;

  /// Of the file's bytes; computed, not read from its header.
  const std::string& digest() const;

 private:
  struct Impl;
  explicit WordMap(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

/// The map that is installed with the models; opened once per process, at the first call. Safe to call from
/// several threads.
Result<std::shared_ptr<const WordMap>> shipped_word_map();

}  // namespace sotto::embed
