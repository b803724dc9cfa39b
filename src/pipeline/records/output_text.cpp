#include "pipeline/records/output_text.hpp"

#include "base/message.hpp"

namespace sotto {

Result<OutputText> OutputText::make(const FileOptions& files) {
  OutputText output;
  output.same_as_input_ = files.output_encoding.empty();
  if (output.same_as_input_) {
    SOTTO_ASSIGN(output.encoding_, TextEncoding::parse("encoding", files.encoding));
  } else {
    SOTTO_ASSIGN(output.encoding_, TextEncoding::parse("output_encoding", files.output_encoding));
  }
  return output;
}

Result<std::string_view> OutputText::encode(std::string_view text, const TextEncoding& input) {
  if (encoding_.is_utf8()) return text;
  if (!transcoder_) {
    const TextEncoding ordered = same_as_input_ ? input : encoding_.little_endian();
    SOTTO_ASSIGN(Transcoder made, Transcoder::make(TextEncoding(), ordered));
    transcoder_.emplace(std::move(made));
  }
  encoded_.clear();
  if (transcoder_->convert_all(text, encoded_)) return encoded_;
  return fail(Errc::bad_format,
              format_message("the output holds a character that {} lacks; give {{output_encoding}} utf-8",
                             encoding_.name()));
}

}  // namespace sotto
