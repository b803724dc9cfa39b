// What all kinds of subword models have in common.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lm/tokenizer/subword_types.hpp"

namespace sotto::lm {

/// A normalized text, and where each of its bytes comes from.
class NormalizedText {
 public:
  /// Starts a new text. With `track` false, origins are not recorded and origin() must not be called.
  void start(bool track);
  /// The text unchanged: nothing is copied, so `text` must outlive the use of this object.
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
  std::vector<ByteRange> origins_;  // one per byte of text_
};

/// Collects ids and, if requested, the bytes they represent; the begins and the ends of these never decrease,
/// even if normalization reordered marks. Ranges are passed relative to a normalized piece of a segment of
/// the text; the sink turns them into ranges of the text.
class PieceSink {
 public:
  PieceSink(std::vector<SubwordId>& ids, std::vector<ByteRange>* ranges) : ids_(ids), ranges_(ranges) {}

  bool wants_ranges() const { return ranges_ != nullptr; }
  std::vector<ByteRange>* ranges() { return ranges_; }

  /// What follows belongs to another text: its ranges start over.
  void start_text() { last_ = {}; }
  /// What follows is relative to `normalized` from `skip` on, whose source starts at `offset` of the text.
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

/// What precedes a segment, for models that mark the start of a word by a blank.
enum class SegmentPlace {
  text_start,   ///< nothing
  after_token,  ///< an added token
  after_blank,  ///< a blank outside the segment that belongs to its first word
  after_text,   ///< text without a blank
};

/// A way to split text into the tokens of a vocabulary. Immutable; all functions are thread-safe.
class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  /// Converts a segment between added tokens to the form that tokens are written in.
  virtual void normalize(std::string_view segment, bool track, NormalizedText& out) const;
  /// Appends the ids of normalized text.
  virtual void encode(std::string_view normalized, SegmentPlace place, PieceSink& sink) const = 0;
  /// The text of tokens in the vocabulary's spelling.
  virtual std::string decode(std::span<const std::string_view> tokens) const = 0;

  /// True if the token starts a word.
  virtual bool starts_word(std::string_view token) const = 0;
  /// The token without its marker.
  virtual std::string surface(std::string_view token) const = 0;
};

}  // namespace sotto::lm
