#include "text/render.hpp"

namespace sotto::text {
namespace {

constexpr std::string_view kBlanks = " \t";

}  // namespace

void Renderer::start_with_care(const Token& token, Last action) {
  const std::size_t size_before = out_.size();
  const bool dropped = dropped_;
  if (dropped) copy_gap_after_drop(token.begin);
  dropped_ = false;
  position_ = token.begin;
  const bool glued = out_.size() == size_before && last_ != Last::nothing;
  const bool both_replaced = last_ == Last::replaced && action == Last::replaced;
  if (glued && token.token_class != TokenClass::punctuation && (dropped || both_replaced))
    out_.push_back(' ');
}

/// Copies the whitespace text[position, end) after a dropped token, without its leading blanks at the
/// beginning of a line.
void Renderer::copy_gap_after_drop(std::size_t end) {
  const bool at_line_start = out_.size() == begin_ || out_.view().back() == '\n';
  std::size_t from = position_;
  while (at_line_start && from < end && kBlanks.find(text_[from]) != std::string_view::npos) ++from;
  copy_text(from, end);
}

void Renderer::drop(const Token& token) {
  std::size_t end = token.begin;
  while (end > position_ && kBlanks.find(text_[end - 1]) != std::string_view::npos) --end;
  if (end > position_) {
    if (dropped_)
      copy_gap_after_drop(end);
    else
      copy_text(position_, end);
    last_ = Last::nothing;
  }
  dropped_ = true;
  position_ = token.end;
}

void Renderer::finish() {
  if (dropped_)
    copy_gap_after_drop(text_.size());
  else
    copy_text(position_, text_.size());
  position_ = text_.size();
}

}  // namespace sotto::text
