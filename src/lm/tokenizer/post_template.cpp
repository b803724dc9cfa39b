#include "lm/tokenizer/post_template.hpp"

namespace sotto::lm {
namespace {

constexpr TemplateItem kFirst = {TemplateItem::Kind::first, 0, 0};

constexpr TemplateItem token(SubwordId id, std::uint8_t type_id = 0) {
  return {TemplateItem::Kind::token, id, type_id};
}

constexpr TemplateItem second(std::uint8_t type_id) {
  return {TemplateItem::Kind::second, 0, type_id};
}

}  // namespace

PostTemplate bert_template(SubwordId cls, SubwordId sep) {
  return {{token(cls), kFirst, token(sep)}, {token(cls), kFirst, token(sep), second(1), token(sep, 1)}};
}

PostTemplate roberta_template(SubwordId cls, SubwordId sep) {
  return {{token(cls), kFirst, token(sep)},
          {token(cls), kFirst, token(sep), token(sep), second(0), token(sep)}};
}

PostTemplate t5_template(SubwordId eos) {
  return {{kFirst, token(eos)}, {kFirst, token(eos), second(0), token(eos)}};
}

}  // namespace sotto::lm
