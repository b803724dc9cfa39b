#include "lm/tokenizer/subword_model.hpp"

#include <algorithm>

namespace sotto::lm {

void NormalizedText::start(bool track) {
  identity_ = false;
  track_ = track;
  text_.clear();
  origins_.clear();
}

void NormalizedText::set_identity(std::string_view text) {
  identity_ = true;
  track_ = true;
  given_ = text;
}

void NormalizedText::append(std::string_view bytes, std::size_t begin, std::size_t end) {
  text_.append(bytes);
  if (track_)
    origins_.insert(origins_.end(), bytes.size(),
                    {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
}

void NormalizedText::truncate(std::size_t size) {
  text_.resize(size);
  if (track_) origins_.resize(size);
}

void NormalizedText::remove_prefix(std::size_t size) {
  text_.erase(0, size);
  if (track_) origins_.erase(origins_.begin(), origins_.begin() + static_cast<std::ptrdiff_t>(size));
}

ByteRange NormalizedText::origin(std::size_t begin, std::size_t end) const {
  if (identity_) return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  if (begin >= end) {
    const std::uint32_t at = origins_.empty()          ? 0
                             : begin < origins_.size() ? origins_[begin].begin
                                                       : origins_.back().end;
    return {at, at};
  }
  return {origins_[begin].begin, std::max(origins_[begin].begin, origins_[end - 1].end)};
}

void PieceSink::set_frame(const NormalizedText* normalized, std::size_t skip, std::size_t offset) {
  normalized_ = normalized;
  skip_ = skip;
  offset_ = offset;
}

void PieceSink::add(SubwordId id, std::size_t begin, std::size_t end) {
  ids_.push_back(id);
  if (ranges_ == nullptr) return;
  const ByteRange origin = normalized_->origin(skip_ + begin, skip_ + end);
  last_ = {std::max(last_.begin, static_cast<std::uint32_t>(origin.begin + offset_)),
           std::max(last_.end, static_cast<std::uint32_t>(origin.end + offset_))};
  ranges_->push_back(last_);
}

void PieceSink::add_absolute(SubwordId id, std::size_t begin, std::size_t end) {
  ids_.push_back(id);
  if (ranges_ == nullptr) return;
  last_ = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  ranges_->push_back(last_);
}

void SubwordModel::normalize(std::string_view segment, bool /*track*/, NormalizedText& out) const {
  out.set_identity(segment);
}

}  // namespace sotto::lm
