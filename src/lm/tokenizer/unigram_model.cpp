#include "lm/tokenizer/unigram_model.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "lm/tokenizer/unicode_classes.hpp"
#include "text/utf8.hpp"

namespace sotto::lm {
namespace {

constexpr double kUnknownPenalty = 10;

/// Drops blanks at the requested ends.
void strip(NormalizedText& text, bool left, bool right) {
  std::size_t first = text.view().size();  // the first character that is not a blank
  std::size_t last = 0;                    // the end of the last one
  for (std::size_t i = 0; i < text.view().size();) {
    const text::CodePoint code_point = text::decode_utf8(text.view(), i);
    if (!is_unicode_space(code_point.value)) {
      first = std::min(first, i);
      last = i + code_point.size;
    }
    i += code_point.size;
  }
  if (right) text.truncate(last);
  if (left) text.remove_prefix(std::min(first, text.view().size()));
}

/// Replaces each run of two or more U+0020 by one `replacement`.
void replace_blank_runs(const NormalizedText& text, std::string_view replacement, NormalizedText& out) {
  const std::string_view view = text.view();
  const auto append = [&](std::string_view bytes, std::size_t begin, std::size_t end) {
    const ByteRange origin = text.tracked() ? text.origin(begin, end) : ByteRange{};
    out.append(bytes, origin.begin, origin.end);
  };
  out.start(text.tracked());
  for (std::size_t i = 0; i < view.size();) {
    const std::size_t end = std::min(view.find_first_not_of(' ', i), view.size());
    if (end - i >= 2) {
      append(replacement, i, end);
      i = end;
    } else {
      append(view.substr(i, 1), i, i + 1);
      ++i;
    }
  }
}

}  // namespace

/// A piece with its blanks marked, and for each byte its position in the normalized text.
struct UnigramModel::Marked {
  std::string text;
  std::vector<std::uint32_t> positions;  // one more than bytes; empty if not requested

  void append(std::string_view bytes, std::size_t position, bool track) {
    text += bytes;
    if (track) positions.insert(positions.end(), bytes.size(), static_cast<std::uint32_t>(position));
  }
};

UnigramModel::UnigramModel(const SubwordVocabulary& vocabulary, std::vector<double> scores, SubwordId unknown,
                           UnigramSettings settings)
    : settings_(std::move(settings)),
      scores_(std::move(scores)),
      unknown_(unknown),
      unknown_score_(*std::min_element(scores_.begin(), scores_.end()) - kUnknownPenalty) {
  for (SubwordId id = 0; id < scores_.size(); ++id)
    if (vocabulary.has(id) && !settings_.hidden.contains(id)) trie_.insert(vocabulary.token(id), id);
}

void UnigramModel::normalize(std::string_view segment, bool track, NormalizedText& out) const {
  if (settings_.map) {
    settings_.map->apply(segment, track, out);
  } else {
    out.start(track);
    for (std::size_t i = 0; i < segment.size(); ++i) out.append(segment.substr(i, 1), i, i + 1);
  }
  if (settings_.strip_left || settings_.strip_right) strip(out, settings_.strip_left, settings_.strip_right);
  if (!settings_.blank_runs) return;
  NormalizedText replaced;
  replace_blank_runs(out, *settings_.blank_runs, replaced);
  out = std::move(replaced);
}

void UnigramModel::encode(std::string_view normalized, SegmentPlace place, PieceSink& sink) const {
  const auto prepends = [&](std::size_t begin) {
    if (place == SegmentPlace::after_blank) return true;
    if (place == SegmentPlace::after_text) return begin > 0;
    if (settings_.prepend != PrependMark::first) return settings_.prepend == PrependMark::always;
    return place == SegmentPlace::text_start && begin == 0;
  };
  if (!settings_.whitespace_split) {
    if (!normalized.empty()) encode_piece(normalized, {0, normalized.size()}, prepends(0), sink);
    return;
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= normalized.size();) {
    const text::CodePoint code_point =
        i < normalized.size() ? text::decode_utf8(normalized, i) : text::CodePoint{' ', 1, true};
    if (is_unicode_space(code_point.value)) {
      if (begin < i) encode_piece(normalized, {begin, i}, prepends(begin), sink);
      begin = i + code_point.size;
    }
    i += code_point.size;
  }
}

void UnigramModel::encode_piece(std::string_view normalized, IndexRange piece, bool prepend,
                                PieceSink& sink) const {
  const bool track = sink.wants_ranges();
  Marked marked;
  const std::string_view text = normalized.substr(piece.begin, piece.end - piece.begin);
  if (prepend && text[0] != ' ' && !text.starts_with(kMetaspace))
    marked.append(kMetaspace, piece.begin, track);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool blank = text[i] == ' ';
    marked.append(blank ? kMetaspace : text.substr(i, 1), piece.begin + i, track);
  }
  if (track) marked.positions.push_back(static_cast<std::uint32_t>(piece.end));
  const std::string_view whole = marked.text;
  for (std::size_t begin = 0; begin < whole.size();) {
    std::size_t end = whole.size();
    if (settings_.split) end = std::min(end, whole.find(kMetaspace, begin + 1));
    add_word(marked, {begin, end}, sink);
    begin = end;
  }
}

void UnigramModel::add_word(const Marked& marked, IndexRange word, PieceSink& sink) const {
  const auto add_parts = [&](const std::vector<WordPart>& parts) {
    for (const WordPart& part : parts) {
      if (sink.wants_ranges())
        sink.add(part.id, marked.positions[word.begin + part.begin], marked.positions[word.begin + part.end]);
      else
        sink.add(part.id, 0, 0);
    }
  };
  const std::string_view text = std::string_view(marked.text).substr(word.begin, word.end - word.begin);
  cache_.visit(
      text, [this](std::string_view fresh, std::vector<WordPart>& parts) { cut(fresh, parts); }, add_parts);
}

void UnigramModel::cut(std::string_view word, std::vector<WordPart>& parts) const {
  struct Node {
    double score = 0;
    SubwordId id = 0;
    std::uint32_t begin = std::numeric_limits<std::uint32_t>::max();  // no token leads here yet
  };
  std::vector<Node> nodes(word.size() + 1);
  const auto offer = [&nodes](std::size_t begin, std::size_t end, SubwordId id, double score) {
    Node& node = nodes[end];
    const double sum = score + nodes[begin].score;
    if (node.begin == std::numeric_limits<std::uint32_t>::max() || sum > node.score)
      node = {sum, id, static_cast<std::uint32_t>(begin)};
  };
  for (std::size_t i = 0; i < word.size();) {
    const std::size_t size = text::decode_utf8(word, i).size;
    bool has_single = false;
    trie_.prefixes(word.substr(i), [&](std::size_t length, SubwordId id) {
      offer(i, i + length, id, scores_[id]);
      has_single = has_single || length == size;
    });
    if (!has_single) offer(i, i + size, unknown_, unknown_score_);
    i += size;
  }
  for (std::size_t end = word.size(); end > 0; end = nodes[end].begin) {
    const Node& node = nodes[end];
    // Adjacent unknown characters form one unknown token.
    if (node.id == unknown_ && !parts.empty() && parts.back().id == unknown_)
      parts.back().begin = node.begin;
    else
      parts.push_back({node.id, node.begin, static_cast<std::uint32_t>(end)});
  }
  std::reverse(parts.begin(), parts.end());
}

std::string UnigramModel::decode(std::span<const std::string_view> tokens) const {
  return decode_metaspace(tokens, settings_.drop_first_mark);
}

bool UnigramModel::starts_word(std::string_view token) const {
  return token.starts_with(kMetaspace);
}

std::string UnigramModel::surface(std::string_view token) const {
  return std::string(starts_word(token) ? token.substr(kMetaspace.size()) : token);
}

std::string decode_metaspace(std::span<const std::string_view> tokens, bool prepended) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::string_view rest = tokens[i];
    for (std::size_t mark = rest.find(kMetaspace); mark != std::string_view::npos;
         mark = rest.find(kMetaspace)) {
      text += rest.substr(0, mark);
      if (i > 0 || !prepended) text += ' ';
      rest.remove_prefix(mark + kMetaspace.size());
    }
    text += rest;
  }
  return text;
}

}  // namespace sotto::lm
