#include "lm/masked_input.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace sotto::lm {
namespace {

std::vector<std::int32_t> signed_ids(const std::vector<SubwordId>& ids, std::size_t begin, std::size_t end) {
  return {ids.begin() + static_cast<std::ptrdiff_t>(begin), ids.begin() + static_cast<std::ptrdiff_t>(end)};
}

void clear(Sequence& sequence) {
  sequence.ids.clear();
  sequence.positions.clear();
  sequence.segments.clear();
  sequence.pieces.clear();
}

void append(std::vector<std::int32_t>& to, std::span<const std::int32_t> what) {
  to.insert(to.end(), what.begin(), what.end());
}

}  // namespace

Result<MaskedInput> MaskedInput::make(const WordFiller& filler, bool with_original, std::size_t most_words) {
  MaskedInput input;
  input.filler_ = &filler;
  input.with_original_ = with_original;
  if (most_words == 0) most_words = filler.usual_window();
  input.most_words_ = most_words == 0 ? std::numeric_limits<std::size_t>::max() : most_words;
  const std::size_t positions = filler.model().max_positions();
  if (filler.layout() == InputLayout::slots) {
    input.most_words_ = std::min(input.most_words_, positions);
    input.most_pieces_ = std::numeric_limits<std::size_t>::max();
    return input;
  }
  // The template puts the same tokens around any two texts, so an example shows them.
  const std::string& example = filler.words().front();
  const Encoding encoding =
      with_original ? filler.tokenizer().encode_pair(example, example) : filler.tokenizer().encode(example);
  const IndexRange last = with_original ? encoding.second : encoding.first;
  Frame& frame = input.frame_;
  frame.before = signed_ids(encoding.ids, 0, encoding.first.begin);
  if (with_original) frame.between = signed_ids(encoding.ids, encoding.first.end, last.begin);
  frame.after = signed_ids(encoding.ids, last.end, encoding.ids.size());
  if (filler.model().segment_count() > 1) {
    frame.first_segment = encoding.type_ids[encoding.first.begin];
    frame.second_segment = encoding.type_ids[last.begin];
  }
  const std::size_t around = frame.before.size() + frame.between.size() + frame.after.size();
  const std::size_t texts = with_original ? 2 : 1;
  if (positions < around + texts * (2 * kMostPieces + 1))
    return fail(Errc::bad_format, fmt::format("the model takes {} positions, too few for a word", positions));
  input.most_pieces_ = (positions - around) / texts;
  return input;
}

MaskedText::MaskedText(const WordFiller& filler, std::string_view text, std::span<const Token> tokens)
    : filler_(filler) {
  begins_.reserve(tokens.size() + 1);
  std::uint32_t last_end = 0;
  for (const Token& token : tokens) {
    begins_.push_back(static_cast<std::uint32_t>(pieces_.size()));
    const bool after_blank = token.token_class == TokenClass::word ||
                             token.token_class == TokenClass::other || token.begin > last_end;
    filler.add_pieces(text.substr(token.begin, token.end - token.begin), after_blank, pieces_);
    last_end = token.end;
  }
  begins_.push_back(static_cast<std::uint32_t>(pieces_.size()));
}

MaskedText::Cell& MaskedText::cell(std::size_t token) {
  if (cells_.empty()) {
    cells_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) append(cells_[i].word, original(i));
  }
  return cells_[token];
}

void MaskedText::replace(std::size_t token, std::string_view word) {
  Cell& place = cell(token);
  place.word.clear();
  filler_.add_pieces(word, true, place.word);
}

void MaskedText::remove(std::size_t token) {
  cell(token).word.clear();
}

void MaskedText::add_after(std::size_t token, std::string_view word) {
  filler_.add_pieces(word, true, cell(token).added);
}

std::span<const std::int32_t> MaskedText::word(std::size_t token) const {
  return cells_.empty() ? original(token) : std::span<const std::int32_t>(cells_[token].word);
}

std::span<const std::int32_t> MaskedText::added(std::size_t token) const {
  return cells_.empty() ? std::span<const std::int32_t>()
                        : std::span<const std::int32_t>(cells_[token].added);
}

/// Of the original or its replacement, whichever needs more room.
std::size_t MaskedText::pieces_of(std::size_t token) const {
  return std::max(original(token).size(), word(token).size() + added(token).size());
}

/// Grows from the token to both sides equally, and on one side only once the other cannot grow.
MaskedText::Window MaskedText::window(const MaskedInput& input, std::size_t token) const {
  Window window{token, token + 1};
  std::size_t pieces = pieces_of(token) + 1;  // and the mask
  bool left = true;
  bool right = true;
  const auto take = [&](std::size_t next) {
    const std::size_t more = pieces_of(next);
    if (window.end - window.begin >= input.most_words_ || pieces + more > input.most_pieces_) return false;
    pieces += more;
    return true;
  };
  while (left || right) {
    left = left && window.begin > 0 && take(window.begin - 1);
    if (left) --window.begin;
    right = right && window.end < size() && take(window.end);
    if (right) ++window.end;
  }
  return window;
}

MaskedText::Window MaskedText::window_of(const MaskedInput& input, std::size_t token) const {
  const std::size_t most = input.most_words_;
  if (size() <= most) return {0, size()};
  const std::size_t step = std::max<std::size_t>(1, most - most / 4);
  const std::size_t before = std::min(token, most / 8);
  const std::size_t begin = std::min((token - before) / step * step, size() - most);
  return {begin, begin + most};
}

MaskedText::Places MaskedText::read(Window window, Sequence& out) const {
  clear(out);
  const std::int32_t mask[] = {filler_.mask()};
  Places places;
  for (std::size_t i = window.begin; i < window.end; ++i) {
    places.words.push_back(static_cast<std::uint32_t>(out.ids.size()));
    // A token that the model has no piece for is one that it cannot see.
    add_slot(original(i).empty() ? mask : original(i), i - window.begin, 0, out);
  }
  places.masks.resize(window.end - window.begin);
  const auto first = std::lower_bound(expected_.begin(), expected_.end(), window.begin);
  for (auto token = first; token != expected_.end() && *token < window.end; ++token) {
    places.masks[*token - window.begin] = static_cast<std::uint32_t>(out.ids.size());
    add_slot(mask, *token - window.begin, 1, out);
  }
  return places;
}

std::uint32_t MaskedText::mask(const MaskedInput& input, std::size_t token, bool after, Sequence& out) const {
  clear(out);
  const Window seen = window(input, token);
  return filler_.layout() == InputLayout::slots ? mask_slots(input, seen, token, after, out)
                                                : mask_pair(input, seen, token, after, out);
}

void MaskedText::add_slot(std::span<const std::int32_t> pieces, std::size_t slot, std::int32_t segment,
                          Sequence& out) const {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    out.ids.push_back(pieces[i]);
    out.positions.push_back(static_cast<std::int32_t>(slot));
    out.segments.push_back(segment);
    out.pieces.push_back(static_cast<std::int32_t>(i));
  }
}

std::uint32_t MaskedText::mask_slots(const MaskedInput& input, Window window, std::size_t token, bool after,
                                     Sequence& out) const {
  const std::int32_t mask[] = {filler_.mask()};
  if (input.with_original_)
    for (std::size_t i = window.begin; i < window.end; ++i) add_slot(original(i), i - window.begin, 0, out);
  std::size_t place = 0;
  for (std::size_t i = window.begin; i < window.end; ++i) {
    const std::size_t slot = i - window.begin;
    if (i == token && !after) place = out.ids.size();
    add_slot(i == token && !after ? mask : word(i), slot, 1, out);
    // An added word has no slot of its own: it shares that of the word it follows.
    if (i == token && after) place = out.ids.size();
    add_slot(i == token && after ? mask : added(i), slot, 1, out);
  }
  return static_cast<std::uint32_t>(place);
}

std::uint32_t MaskedText::mask_pair(const MaskedInput& input, Window window, std::size_t token, bool after,
                                    Sequence& out) const {
  const MaskedInput::Frame& frame = input.frame_;
  append(out.ids, frame.before);
  if (input.with_original_) {
    append(out.ids,
           std::span(pieces_).subspan(begins_[window.begin], begins_[window.end] - begins_[window.begin]));
    append(out.ids, frame.between);
  }
  const std::size_t second = out.ids.size();
  std::size_t place = 0;
  const auto put_mask = [&] {
    place = out.ids.size();
    out.ids.push_back(filler_.mask());
  };
  for (std::size_t i = window.begin; i < window.end; ++i) {
    if (i == token && !after)
      put_mask();
    else
      append(out.ids, word(i));
    if (i == token && after)
      put_mask();
    else
      append(out.ids, added(i));
  }
  append(out.ids, frame.after);
  if (frame.first_segment != 0 || frame.second_segment != 0) {
    out.segments.assign(second, frame.first_segment);
    out.segments.resize(out.ids.size(), frame.second_segment);
  }
  return static_cast<std::uint32_t>(place);
}

}  // namespace sotto::lm
