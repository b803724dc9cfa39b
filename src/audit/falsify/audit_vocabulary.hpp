// The words of an audit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <sotto/model.hpp>

#include "lm/word_filler.hpp"

namespace sotto::audit {

/// Words by id, and ⊥ for all others. Safe to share between threads.
class AuditVocabulary {
 public:
  virtual ~AuditVocabulary() = default;
  virtual std::string name() const = 0;
  virtual std::uint32_t size() const = 0;
  virtual std::string_view word(TokenId id) const = 0;
  /// The id of a word in any spelling that counts as the same, or bottom().
  virtual TokenId find(std::string_view word) const = 0;
  TokenId bottom() const { return size(); }
};

/// The words of a model, which must outlive it.
class ModelVocabulary final : public AuditVocabulary {
 public:
  explicit ModelVocabulary(const Model& model) : model_(model) {}
  std::string name() const override { return model_.name(); }
  std::uint32_t size() const override { return model_.size(); }
  std::string_view word(TokenId id) const override { return model_.word(id); }
  TokenId find(std::string_view word) const override { return model_.find(word); }

 private:
  const Model& model_;
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
