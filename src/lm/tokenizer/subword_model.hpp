// What the kinds of subword models have in common.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lm/tokenizer/subword_types.hpp"

namespace sotto {

/// A text after normalization, and where each of its bytes comes from.
class NormalizedText {
 public:
  /// Begins a new text. With `track` false, origins are not recorded and origin() must not be asked.
  void start(bool track);
  /// The text as it is: nothing is copied, `text` must outlive this object's use.
  void set_identity(std::string_view text);

  /// Appends bytes that all come from source[begin, end).
  void append(std::string_view bytes, std::size_t begin, std::size_t end);
  /// Drops everything from `size` on.
  void truncate(std::size_t size);
  void remove_prefix(std::size_t size);

  std::string_view view() const { return identity_ ? given_ : std::string_view(text_); }
  bool tracked() const { return track_; }
  /// The source bytes of the normalized bytes [begin, end).
  ByteRange origin(std::size_t begin, std::size_t end) const;

 private:
  bool identity_ = true;
  bool track_ = false;
  std::string_view given_;
  std::string text_;
  std::vector<ByteRange> origins_;  // one for each byte of text_
};

/// Collects ids and, when asked to, the bytes they stand for; these never go back, neither where they begin
/// nor where they end, even if normalization put marks into another order. Ranges are given relative to a
/// normalized piece of a segment of the text; the sink turns them into ranges of the text.
class PieceSink {
 public:
  PieceSink(std::vector<SubwordId>& ids, std::vector<ByteRange>* ranges) : ids_(ids), ranges_(ranges) {}

  bool wants_ranges() const { return ranges_ != nullptr; }
  std::vector<ByteRange>* ranges() { return ranges_; }

  /// What follows belongs to another text: its ranges begin anew.
  void start_text() { last_ = {}; }
  /// What follows is relative to `normalized` from `skip` on, whose source begins at `offset` of the text.
  void set_frame(const NormalizedText* normalized, std::size_t skip, std::size_t offset);
  /// An id for the bytes [begin, end) of the piece.
  void add(SubwordId id, std::size_t begin, std::size_t end);
  /// An id for the bytes [begin, end) of the text itself.
  void add_absolute(SubwordId id, std::size_t begin, std::size_t end);

 private:
  std::vector<SubwordId>& ids_;
  std::vector<ByteRange>* ranges_;
  const NormalizedText* normalized_ = nullptr;
  std::size_t skip_ = 0;
  std::size_t offset_ = 0;
  ByteRange last_;
};

/// What stands before a segment, for models that mark the beginning of a word by a blank.
enum class SegmentPlace {
  text_start,   ///< nothing
  after_token,  ///< an added token
  after_blank,  ///< a blank that is not part of the segment, and belongs to its first word
  after_text,   ///< text without a blank
};

/// A way to cut text into the tokens of a vocabulary. Immutable; all functions are thread-safe.
class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  /// Brings a segment between added tokens into the form that tokens are written in.
  virtual void normalize(std::string_view segment, bool track, NormalizedText& out) const;
  /// Appends the ids of normalized text.
  virtual void encode(std::string_view normalized, SegmentPlace place, PieceSink& sink) const = 0;
  /// The text of tokens given as the vocabulary spells them.
  virtual std::string decode(std::span<const std::string_view> tokens) const = 0;

  /// True when the token begins a word.
  virtual bool starts_word(std::string_view token) const = 0;
  /// The token without its marker.
  virtual std::string surface(std::string_view token) const = 0;
};

}  // namespace sotto
