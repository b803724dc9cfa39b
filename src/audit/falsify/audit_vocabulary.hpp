// The words of an audit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <sotto/collocations.hpp>
#include <sotto/model.hpp>

#include "embed/word_map.hpp"
#include "lm/word_filler.hpp"

namespace sotto::audit {

/// Words by id, and what stands for all other strings. Safe to share between threads.
class AuditVocabulary {
 public:
  virtual ~AuditVocabulary() = default;
  virtual std::string name() const = 0;
  virtual std::uint32_t size() const = 0;
  virtual std::string_view word(TokenId id) const = 0;
  /// The id of a word in any spelling that counts as the same, or bottom().
  virtual TokenId find(std::string_view word) const = 0;
  /// ⊥.
  TokenId bottom() const { return size(); }
  /// ⊙: a token without a place of its own, which enters as a uniformly drawn word.
  TokenId uniform() const { return size() + 1; }

  /// Whether tokens outside the vocabulary are mapped to words, or else all are ⊥.
  virtual bool maps() const { return false; }
  /// What a token outside the vocabulary enters as: ⊥, or, if they are mapped, a word or ⊙.
  virtual TokenId outside(std::string_view) const { return bottom(); }
};

/// The words of a model, which must outlive it. With a map, it gives tokens outside them their words.
class ModelVocabulary final : public AuditVocabulary {
 public:
  explicit ModelVocabulary(const Model& model, std::shared_ptr<const embed::WordMap> map = nullptr)
      : model_(model), map_(std::move(map)) {}
  std::string name() const override { return model_.name(); }
  std::uint32_t size() const override { return model_.size(); }
  std::string_view word(TokenId id) const override { return model_.word(id); }
  TokenId find(std::string_view word) const override { return model_.find(word); }
  bool maps() const override { return map_ != nullptr; }
  TokenId outside(std::string_view token) const override {
    if (!map_) return bottom();
    TokenId id = bottom();
    map_->find(token, [&](std::string_view word) {
      id = word.find(kPhraseJoint) == std::string_view::npos ? model_.find(word) : bottom();
      return id != bottom();
    });
    return id == bottom() ? uniform() : id;
  }

 private:
  const Model& model_;
  std::shared_ptr<const embed::WordMap> map_;
};

/// The possible output words of a masked model.
class FillerVocabulary final : public AuditVocabulary {
 public:
  FillerVocabulary(std::shared_ptr<const lm::WordFiller> filler, std::string name)
      : filler_(std::move(filler)), name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::uint32_t size() const override { return static_cast<std::uint32_t>(filler_->words().size()); }
  std::string_view word(TokenId id) const override { return filler_->words()[id]; }
  TokenId find(std::string_view word) const override { return filler_->find(word).value_or(bottom()); }

 private:
  std::shared_ptr<const lm::WordFiller> filler_;
  std::string name_;
};

}  // namespace sotto::audit
