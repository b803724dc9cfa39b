#include "pipeline/records/output_text.hpp"

#include "base/message.hpp"

namespace sotto::pipeline {

Result<OutputText> OutputText::make(const FileOptions& files) {
  OutputText output;
  output.same_as_input_ = files.output_encoding.empty();
  if (output.same_as_input_) {
    SOTTO_ASSIGN(output.encoding_, base::TextEncoding::parse("encoding", files.encoding));
  } else {
    SOTTO_ASSIGN(output.encoding_, base::TextEncoding::parse("output_encoding", files.output_encoding));
  }
  return output;
}

Result<std::string_view> OutputText::encode(std::string_view text, const base::TextEncoding& input) {
  if (encoding_.is_utf8()) return text;
  if (!transcoder_) {
    const base::TextEncoding ordered = same_as_input_ ? input : encoding_.little_endian();
    SOTTO_ASSIGN(base::Transcoder made, base::Transcoder::make(base::TextEncoding(), ordered));
    transcoder_.emplace(std::move(made));
  }
  encoded_.clear();
  if (transcoder_->convert_all(text, encoded_)) return encoded_;
  return fail(
      Errc::bad_format,
      base::format_message("the output holds a character that {} lacks; give {{output_encoding}} utf-8",
                           encoding_.name()));
}

}  // namespace sotto::pipeline
