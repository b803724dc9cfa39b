#include "lm/tokenizer/subword_tokenizer.hpp"

#include <algorithm>

#include <sotto/tokenizer.hpp>

#include "text/utf8.hpp"

namespace sotto::lm {
namespace {

/// Maps positions in a repaired text back to positions in the original text.
class RepairMap {
 public:
  explicit RepairMap(std::string_view text) {
    const std::uint32_t mark = text::encode_utf8(text::kReplacementCharacter).size;
    std::size_t repaired = 0;
    for (std::size_t i = 0; i < text.size();) {
      const text::CodePoint code_point = text::decode_utf8(text, i);
      const std::size_t written = code_point.valid ? code_point.size : mark;
      i += code_point.size;
      repaired += written;
      if (written != code_point.size) steps_.push_back({repaired, i});
    }
  }

  std::uint32_t operator()(std::uint32_t position) const {
    // The last change that ends at or before `position`; after it the two texts are in step.
    const auto next = std::upper_bound(steps_.begin(), steps_.end(), position,
                                       [](std::size_t at, const Step& step) { return at < step.repaired; });
    const Step before = next == steps_.begin() ? Step{0, 0} : *std::prev(next);
    const std::size_t mapped = before.given + (position - before.repaired);
    return static_cast<std::uint32_t>(next == steps_.end() ? mapped : std::min(mapped, next->given));
  }

 private:
  struct Step {
    std::size_t repaired;
    std::size_t given;
  };
  std::vector<Step> steps_;
};

}  // namespace

IndexRange Encoding::ids_of(IndexRange text, ByteRange bytes) const {
  const auto begin = ranges.begin() + static_cast<std::ptrdiff_t>(text.begin);
  const auto end = ranges.begin() + static_cast<std::ptrdiff_t>(text.end);
  // An empty range at the beginning is a mark that the model prepended to the word.
  const auto from = std::partition_point(begin, end, [&](const ByteRange& range) {
    return range.end < bytes.begin || (range.end == bytes.begin && range.begin < range.end);
  });
  const auto to =
      std::partition_point(from, end, [&](const ByteRange& range) { return range.begin < bytes.end; });
  return {static_cast<std::size_t>(from - ranges.begin()), static_cast<std::size_t>(to - ranges.begin())};
}

Encoding SubwordTokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  static const std::vector<TemplateItem> kBare = {{TemplateItem::Kind::first, 0, 0}};
  return apply(options.add_special ? parts_.post_template.single : kBare, text, {}, options);
}

Encoding SubwordTokenizer::encode_pair(std::string_view first, std::string_view second,
                                       const EncodeOptions& options) const {
  static const std::vector<TemplateItem> kBare = {{TemplateItem::Kind::first, 0, 0},
                                                  {TemplateItem::Kind::second, 0, 1}};
  return apply(options.add_special ? parts_.post_template.pair : kBare, first, second, options);
}

Encoding SubwordTokenizer::apply(const std::vector<TemplateItem>& items, std::string_view first,
                                 std::string_view second, const EncodeOptions& options) const {
  Encoding encoding;
  PieceSink sink(encoding.ids, options.ranges ? &encoding.ranges : nullptr);
  for (const TemplateItem& item : items) {
    const std::size_t begin = encoding.ids.size();
    if (item.kind == TemplateItem::Kind::token) {
      sink.add_absolute(item.id, 0, 0);
    } else {
      const bool is_first = item.kind == TemplateItem::Kind::first;
      encode_text(is_first ? first : second, options, sink);
      (is_first ? encoding.first : encoding.second) = IndexRange{begin, encoding.ids.size()};
    }
    encoding.type_ids.resize(encoding.ids.size(), item.type_id);
  }
  return encoding;
}

void SubwordTokenizer::encode_text(std::string_view text, const EncodeOptions& options,
                                   PieceSink& sink) const {
  sink.start_text();
  if (is_valid_utf8(text)) return encode_valid(text, options, sink);
  std::uint64_t replaced = 0;
  const std::size_t begin = sink.wants_ranges() ? sink.ranges()->size() : 0;
  encode_valid(replace_invalid_utf8(text, replaced), options, sink);
  if (!sink.wants_ranges()) return;
  const RepairMap to_given(text);
  for (std::size_t i = begin; i < sink.ranges()->size(); ++i) {
    ByteRange& range = (*sink.ranges())[i];
    range = {to_given(range.begin), to_given(range.end)};
  }
}

void SubwordTokenizer::encode_valid(std::string_view text, const EncodeOptions& options,
                                    PieceSink& sink) const {
  std::vector<TextSegment> segments;
  parts_.added.split(text, options.special_in_text, segments);
  for (const TextSegment& segment : segments) {
    if (segment.token != nullptr)
      sink.add_absolute(segment.token->id, segment.begin, segment.end);
    else
      encode_segment(text.substr(segment.begin, segment.end - segment.begin), segment.begin, options, sink);
  }
}

void SubwordTokenizer::encode_segment(std::string_view segment, std::size_t offset,
                                      const EncodeOptions& options, PieceSink& sink) const {
  NormalizedText normalized;
  parts_.model->normalize(segment, sink.wants_ranges(), normalized);
  std::vector<TextSegment> pieces;
  parts_.added.split_normalized(normalized.view(), options.special_in_text, pieces);
  for (const TextSegment& piece : pieces) {
    sink.set_frame(&normalized, piece.begin, offset);
    const std::size_t size = piece.end - piece.begin;
    if (piece.token != nullptr) {
      sink.add(piece.token->id, 0, size);
      continue;
    }
    const bool starts = offset == 0 && piece.begin == 0;
    parts_.model->encode(normalized.view().substr(piece.begin, size),
                         starts ? SegmentPlace::text_start : SegmentPlace::after_token, sink);
  }
}

std::vector<SubwordId> SubwordTokenizer::encode_word(std::string_view word, bool blank_before) const {
  std::vector<SubwordId> ids;
  std::uint64_t replaced = 0;
  const std::string valid = replace_invalid_utf8(word, replaced);
  PieceSink sink(ids, nullptr);
  NormalizedText normalized;
  parts_.model->normalize(valid, false, normalized);
  if (normalized.view().empty()) return ids;
  const SegmentPlace place = blank_before ? SegmentPlace::after_blank : SegmentPlace::after_text;
  parts_.model->encode(normalized.view(), place, sink);
  return ids;
}

std::string SubwordTokenizer::decode(std::span<const SubwordId> ids, bool keep_special) const {
  std::vector<std::string_view> tokens;
  tokens.reserve(ids.size());
  for (const SubwordId id : ids)
    if (parts_.vocabulary.has(id) && (keep_special || !is_special(id))) tokens.push_back(token(id));
  return parts_.model->decode(tokens);
}

std::string SubwordTokenizer::surface(SubwordId id) const {
  return parts_.added.contains(id) ? std::string(token(id)) : parts_.model->surface(token(id));
}

bool SubwordTokenizer::starts_word(SubwordId id) const {
  return parts_.vocabulary.has(id) && !parts_.added.contains(id) && parts_.model->starts_word(token(id));
}

bool SubwordTokenizer::is_whole_word(SubwordId id) const {
  if (!starts_word(id)) return false;
  const std::string text = surface(id);
  if (text.empty() || !is_valid_utf8(text)) return false;
  std::vector<Token> tokens;
  tokenize(text, tokens);
  return tokens.size() == 1 && tokens[0].begin == 0 && tokens[0].end == text.size() &&
         tokens[0].token_class == TokenClass::word;
}

}  // namespace sotto::lm
