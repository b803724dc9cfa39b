#include "evaluate/classifiers/network_reader.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include <sotto/tokenizer.hpp>

#include "base/parallel.hpp"
#include "text/letter_case.hpp"

namespace sotto::evaluate {
namespace {

// Longer tokens are addresses and the like; a network sees only their beginning.
constexpr std::size_t kMostBytes = 256;

std::string valid(std::string_view text) {
  std::uint64_t replaced = 0;
  return replace_invalid_utf8(text, replaced);
}

class WordReader final : public NetworkReader {
 public:
  WordReader(std::shared_ptr<const Model> model, std::size_t most) : model_(std::move(model)), most_(most) {}

  bool apart() const override { return true; }
  void read(const LabelledText& text, lm::Sequence& first, lm::Sequence& second) const override {
    first.ids = words(text.text);
    second.ids = words(text.text_b);
  }

 private:
  std::vector<std::int32_t> words(std::string_view raw) const {
    const std::string text = valid(raw);
    std::vector<Token> tokens;
    tokenize(text, tokens);
    std::vector<std::int32_t> ids;
    for (const Token& token : tokens) {
      if (ids.size() == most_) break;
      const TokenId id = model_->find(std::string_view(text).substr(token.begin, token.end - token.begin));
      if (id == model_->bottom() && token.token_class == TokenClass::punctuation) continue;
      ids.push_back(static_cast<std::int32_t>(id));
    }
    if (ids.empty()) ids.push_back(static_cast<std::int32_t>(model_->bottom()));
    return ids;
  }

  std::shared_ptr<const Model> model_;
  std::size_t most_;
};

void append(std::vector<std::int32_t>& to, const std::vector<lm::SubwordId>& ids, std::size_t begin,
            std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) to.push_back(static_cast<std::int32_t>(ids[i]));
}

/// [CLS] text [SEP] and the like, by the tokenizer's template.
class TemplateReader final : public NetworkReader {
 public:
  TemplateReader(std::shared_ptr<const lm::SubwordTokenizer> tokenizer, std::size_t most, bool segments,
                 bool pairs)
      : tokenizer_(std::move(tokenizer)), most_(most), segments_(segments), pairs_(pairs) {}

  bool apart() const override { return false; }
  void read(const LabelledText& text, lm::Sequence& first, lm::Sequence&) const override {
    // Special tokens written in a text are text, not the model's own tokens.
    const lm::EncodeOptions options{.add_special = true, .ranges = false, .special_in_text = false};
    const lm::Encoding encoding = pairs_ ? tokenizer_->encode_pair(text.text, text.text_b, options)
                                         : tokenizer_->encode(text.text, options);
    std::size_t first_size = encoding.first.end - encoding.first.begin;
    std::size_t second_size = pairs_ ? encoding.second.end - encoding.second.begin : 0;
    const std::size_t around = encoding.ids.size() - first_size - second_size;
    cut(first_size, second_size, most_ > around ? most_ - around : 0);
    const std::size_t first_end = encoding.first.begin + first_size;
    append(first.ids, encoding.ids, 0, first_end);
    std::size_t tail = encoding.first.end;
    std::size_t second_begin = first.ids.size();
    if (pairs_) {
      append(first.ids, encoding.ids, tail, encoding.second.begin + second_size);
      second_begin += encoding.second.begin - tail;
      tail = encoding.second.end;
    }
    append(first.ids, encoding.ids, tail, encoding.ids.size());
    if (!pairs_ || !segments_ || encoding.second.begin == encoding.ids.size()) return;
    first.segments.assign(second_begin, encoding.type_ids[encoding.first.begin]);
    first.segments.resize(first.ids.size(), encoding.type_ids[encoding.second.begin]);
  }

 private:
  // The longer of the two is cut first.
  static void cut(std::size_t& first, std::size_t& second, std::size_t room) {
    if (first + second <= room) return;
    const std::size_t half = room / 2;
    if (second <= half)
      first = room - second;
    else if (first <= half)
      second = room - first;
    else {
      second = half;
      first = room - half;
    }
  }

  std::shared_ptr<const lm::SubwordTokenizer> tokenizer_;
  std::size_t most_;
  bool segments_;
  bool pairs_;
};

/// Words at positions, with pieces inside them.
class SlotReader final : public NetworkReader {
 public:
  SlotReader(std::shared_ptr<const lm::SubwordTokenizer> tokenizer, std::int32_t mask, std::size_t most,
             std::size_t pieces, bool pairs)
      : tokenizer_(std::move(tokenizer)), mask_(mask), most_(most), pieces_(pieces), pairs_(pairs) {}

  bool apart() const override { return false; }
  void read(const LabelledText& text, lm::Sequence& first, lm::Sequence&) const override {
    add(text.text, pairs_ ? 0 : 1, first);
    if (pairs_) add(text.text_b, 1, first);
    if (first.ids.empty()) first = {{mask_}, {0}, {1}, {0}};
  }

 private:
  void add(std::string_view raw, std::int32_t segment, lm::Sequence& out) const {
    const std::string text = valid(raw);
    std::vector<Token> tokens;
    tokenize(text, tokens);
    for (std::size_t slot = 0; slot < std::min(tokens.size(), most_); ++slot) {
      const std::size_t size = std::min<std::size_t>(tokens[slot].end - tokens[slot].begin, kMostBytes);
      const std::vector<lm::SubwordId> ids = tokenizer_->encode_word(
          text::lookup_form(valid(std::string_view(text).substr(tokens[slot].begin, size))), false);
      for (std::size_t piece = 0; piece < std::min(ids.size(), pieces_); ++piece) {
        out.ids.push_back(static_cast<std::int32_t>(ids[piece]));
        out.positions.push_back(static_cast<std::int32_t>(slot));
        out.segments.push_back(segment);
        out.pieces.push_back(static_cast<std::int32_t>(piece));
      }
    }
  }

  std::shared_ptr<const lm::SubwordTokenizer> tokenizer_;
  std::int32_t mask_;
  std::size_t most_;
  std::size_t pieces_;
  bool pairs_;
};

template <class Integer>
std::vector<float> scaled_rows(std::span<const Integer> vectors, std::size_t dimension) {
  double squares = 0;
  std::vector<double> sum(dimension);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    squares += static_cast<double>(vectors[i]) * vectors[i];
    sum[i % dimension] += vectors[i];
  }
  const auto count = static_cast<double>(vectors.size());
  const double factor = squares > 0 ? std::sqrt(kEmbeddingPower * count / squares) : 0;
  std::vector<float> rows;
  rows.reserve(vectors.size() + dimension);
  for (const Integer value : vectors) rows.push_back(static_cast<float>(factor * value));
  for (const double total : sum)
    rows.push_back(static_cast<float>(factor * total * static_cast<double>(dimension) / count));
  return rows;
}

}  // namespace

NetworkTexts read_texts(const NetworkReader& reader, std::span<const LabelledText> texts, bool pairs,
                        unsigned threads) {
  NetworkTexts read;
  read.texts.resize(texts.size());
  std::vector<lm::Sequence> seconds(texts.size());
  base::parallel_for(texts.size(), 64, base::thread_count(threads), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) reader.read(texts[i], read.texts[i], seconds[i]);
  });
  if (pairs && reader.apart()) read.partners = std::move(seconds);
  return read;
}

std::unique_ptr<const NetworkReader> make_word_reader(std::shared_ptr<const Model> model, std::size_t most) {
  return std::make_unique<const WordReader>(std::move(model), most);
}

std::vector<float> embedding_rows(const Model& model) {
  return model.bits() == 8 ? scaled_rows(model.vectors8(), model.dimension())
                           : scaled_rows(model.vectors16(), model.dimension());
}

Result<std::unique_ptr<const NetworkReader>> make_subword_reader(const std::filesystem::path& folder,
                                                                 const lm::NetworkLimits& limits,
                                                                 std::size_t most, bool pairs) {
  SOTTO_ASSIGN(auto tokenizer, lm::SubwordTokenizer::open(folder));
  if (tokenizer->size() > limits.ids)
    return fail(Errc::bad_format, fmt::format("{}: the vocabulary has {} tokens, but the model takes {}",
                                              folder.string(), tokenizer->size(), limits.ids));
  most = std::min<std::size_t>(most, limits.positions);
  if (limits.pieces > 1) {
    if (!tokenizer->special().mask)
      return fail(Errc::bad_format, fmt::format("{}: the vocabulary has no mask token", folder.string()));
    const auto mask = static_cast<std::int32_t>(*tokenizer->special().mask);
    return std::make_unique<const SlotReader>(std::move(tokenizer), mask, most, limits.pieces, pairs);
  }
  return std::make_unique<const TemplateReader>(std::move(tokenizer), most, limits.segments > 1, pairs);
}

}  // namespace sotto::evaluate
