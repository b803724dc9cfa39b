// The tokens around the texts that a model reads: <s> A </s>, [CLS] A [SEP] B [SEP].
#pragma once

#include <cstdint>
#include <vector>

#include "lm/tokenizer/subword_types.hpp"

namespace sotto::lm {

/// One item of a template: a token, or the ids of a text.
struct TemplateItem {
  enum class Kind : std::uint8_t { token, first, second };
  Kind kind = Kind::first;
  SubwordId id = 0;  ///< of a token
  std::uint8_t type_id = 0;
};

struct PostTemplate {
  std::vector<TemplateItem> single = {{TemplateItem::Kind::first, 0, 0}};
  std::vector<TemplateItem> pair = {{TemplateItem::Kind::first, 0, 0}, {TemplateItem::Kind::second, 0, 1}};
};

/// [CLS] A [SEP] and [CLS] A [SEP] B [SEP], the second text with type 1.
PostTemplate bert_template(SubwordId cls, SubwordId sep);
/// <s> A </s> and <s> A </s></s> B </s>, all of type 0.
PostTemplate roberta_template(SubwordId cls, SubwordId sep);
/// A </s> and A </s> B </s>, all of type 0.
PostTemplate t5_template(SubwordId eos);

}  // namespace sotto::lm
