#include "lm/tokenizer/bert_normalizer.hpp"

#include <algorithm>
#include <string>

#include "lm/tokenizer/unicode_classes.hpp"
#include "text/letter_case.hpp"
#include "text/utf8.hpp"

namespace sotto::lm {
namespace {

/// Applies the steps to one code point after another. Marks wait for the next starter, since decomposition
/// puts them into canonical order.
class BertWriter {
 public:
  BertWriter(const BertNormalization& settings, NormalizedText& out) : settings_(settings), out_(out) {}

  void add(char32_t value, std::size_t begin, std::size_t end) {
    if (settings_.clean_text) {
      if (is_bert_control(value)) return;
      if (is_unicode_space(value)) value = ' ';
    }
    if (!settings_.handle_chinese_chars || !is_han(value)) return add_decomposed(value, begin, end);
    add_decomposed(' ', begin, begin);
    add_decomposed(value, begin, end);
    add_decomposed(' ', end, end);
  }

  void flush() {
    std::stable_sort(pending_.begin(), pending_.end(),
                     [](const Mark& a, const Mark& b) { return a.order < b.order; });
    for (const Mark& mark : pending_) write(mark.value, mark.begin, mark.end);
    pending_.clear();
  }

 private:
  struct Mark {
    int order;
    char32_t value;
    std::size_t begin;
    std::size_t end;
  };

  void add_decomposed(char32_t value, std::size_t begin, std::size_t end) {
    if (!settings_.strip_accents) return write(value, begin, end);
    const Decomposition parts = decompose(value);
    for (std::size_t i = 0; i < parts.size; ++i) {
      const char32_t part = parts.values[i];
      const int order = combining_class(part);
      if (order == 0) flush();
      if (is_bert_accent(part)) continue;
      if (order == 0)
        write(part, begin, end);
      else
        pending_.push_back({order, part, begin, end});
    }
  }

  void write(char32_t value, std::size_t begin, std::size_t end) {
    if (!settings_.lowercase) return out_.append(text::encode_utf8(value).view(), begin, end);
    lower_.clear();
    append_lower(lower_, value);
    out_.append(lower_, begin, end);
  }

  const BertNormalization& settings_;
  NormalizedText& out_;
  std::vector<Mark> pending_;
  std::string lower_;
};

/// True for ASCII that no step changes except for case.
bool is_plain(char c) {
  return c >= ' ' && c < 0x7F;
}

}  // namespace

void normalize_bert(std::string_view text, const BertNormalization& settings, bool track,
                    NormalizedText& out) {
  out.start(track);
  BertWriter writer(settings, out);
  std::string run;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_plain(text[i])) {
      const text::CodePoint code_point = text::decode_utf8(text, i);
      writer.add(code_point.value, i, i + code_point.size);
      i += code_point.size;
      continue;
    }
    writer.flush();
    const std::size_t begin = i;
    while (i < text.size() && is_plain(text[i])) ++i;
    run.assign(text, begin, i - begin);
    if (settings.lowercase) text::lower_ascii(run, run.data());
    if (!track) {
      out.append(run, begin, i);
      continue;
    }
    for (std::size_t k = 0; k < run.size(); ++k)
      out.append(std::string_view(run).substr(k, 1), begin + k, begin + k + 1);
  }
  writer.flush();
}

IndexRange next_bert_word(std::string_view text, std::size_t position) {
  std::size_t begin = position;
  std::size_t end = position;
  while (end < text.size()) {
    const text::CodePoint code_point = text::decode_utf8(text, end);
    const bool space = is_unicode_space(code_point.value);
    if (space || is_bert_punctuation(code_point.value)) {
      if (begin < end) break;
      end += code_point.size;
      if (!space) break;
      begin = end;
      continue;
    }
    end += code_point.size;
  }
  return {begin, end};
}

}  // namespace sotto::lm
