// How words are usually written in public text ("Munich", "NASA", "iPhone"): a table made by
// models/recipe/make_word_forms.py. It says something about output words only.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include <sotto/result.hpp>

#include "base/file.hpp"

namespace sotto::embed {

/// Immutable, so safe to share between threads.
///
/// The file is a safetensors container with one tensor, `forms`: a form per line, ascending by its lower
/// case. A form consists of ASCII letters, ' - and full stops; underscores join those of a phrase.
class WordForms {
 public:
  /// The error names the file and what is wrong with it.
  static Result<std::shared_ptr<const WordForms>> open(const std::filesystem::path& file);

  /// The form of a word or phrase given in lower case; empty if it is written like that.
  std::string_view find(std::string_view lower_case) const {
    const auto found = forms_.find(lower_case);
    return found == forms_.end() ? std::string_view() : found->second;
  }

  std::size_t size() const { return forms_.size(); }

  /// Of the file's bytes; computed, not read from its header.
  const std::string& digest() const { return digest_; }

 private:
  WordForms() = default;
  Result<void> read(const std::filesystem::path& file);
  Result<void> add_forms(std::string_view lines, std::string_view name);

  base::MappedFile mapped_;
  std::string digest_;
  std::string keys_;                                              // the lines in lower case
  std::unordered_map<std::string_view, std::string_view> forms_;  // from keys_ to mapped_
};

/// The table that is installed with the models; opened once per process, at the first call. Safe to call from
/// several threads.
Result<std::shared_ptr<const WordForms>> shipped_word_forms();

}  // namespace sotto::embed
