// The encoding of the output.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sotto/privatize.hpp>
#include <sotto/result.hpp>

#include "base/text_encoding.hpp"

namespace sotto::pipeline {

/// Turns UTF-8 into the encoding of the output, chunk by chunk. Not thread-safe, except begins_with_mark().
class OutputText {
 public:
  static Result<OutputText> make(const FileOptions& files);

  /// Whether the output begins with a byte order mark, given whether the first input does.
  bool begins_with_mark(bool input_does) const {
    return encoding_.needs_mark() || (input_does && encoding_.is_unicode());
  }

  /// Returns `text` itself if the output is UTF-8, otherwise a view that is valid until the next call.
  /// `input` is the encoding of the first input, which tells the byte order if the output's is the same.
  Result<std::string_view> encode(std::string_view text, const base::TextEncoding& input);

 private:
  base::TextEncoding encoding_;
  bool same_as_input_ = true;
  std::optional<base::Transcoder> transcoder_;
  std::string encoded_;
};

}  // namespace sotto::pipeline
