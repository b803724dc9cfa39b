#include "audit/falsify/target.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "audit/falsify/foreign_command.hpp"
#include "base/parallel.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::audit {
namespace {

class MechanismTarget final : public Target {
 public:
  MechanismTarget(const Mechanism& mechanism, const AuditVocabulary& model, BitSourceMaker bits,
                  unsigned threads)
      : mechanism_(mechanism), model_(model), bits_(std::move(bits)), threads_(base::thread_count(threads)) {}

  Result<void> draw(std::uint64_t run, const AuditInput& input, std::span<OutputId> out) override {
    constexpr std::size_t kAtOnce = 4096;
    const std::unique_ptr<BitSource> bits = bits_(run);
    const std::unique_ptr<PendingTokens> pending = mechanism_.make_pending();
    const std::vector<TokenId> in(std::min(out.size(), kAtOnce), input.id);
    for (std::size_t begin = 0; begin < out.size(); begin += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, out.size() - begin);
      pending->add(std::span(in).first(count), *bits);
      pending->resolve(out.subspan(begin, count));
    }
    return {};
  }

  unsigned threads() const override { return threads_; }

  std::string output(OutputId id) const override {
    return id < model_.size() ? std::string(model_.word(id)) : "⊥";
  }

 private:
  const Mechanism& mechanism_;
  const AuditVocabulary& model_;
  BitSourceMaker bits_;
  unsigned threads_;
};

class DocumentTarget final : public Target {
 public:
  DocumentTarget(const Privatizer& privatizer, const AuditVocabulary& model)
      : privatizer_(privatizer), names_(model) {}

  Result<void> draw(std::uint64_t run, const AuditInput& input, std::span<OutputId> out) override {
    for (std::size_t i = 0; i < out.size(); ++i)
      SOTTO_TRY(rewrite(fmt::format("{}/{}", run, i), input, out.subspan(i, 1)));
    return {};
  }

  Result<void> draw_run(std::uint64_t run, const AuditInput& input, std::span<OutputId> out) override {
    return rewrite(fmt::format("{}", run), input, out);
  }

  std::string output(OutputId id) const override { return names_.name(id); }

 private:
  /// Repeats the word once more than there are outputs: the first is at the start of the sentence, where
  /// outputs are capitalized, and is skipped.
  Result<void> rewrite(const std::string& id, const AuditInput& input, std::span<OutputId> out) {
    std::string document = input.text;
    for (std::size_t i = 0; i < out.size(); ++i) document += " " + input.text;
    SOTTO_ASSIGN(const std::string text, privatizer_.privatize({"audit", id, "text"}, document, counts_));
    std::size_t begin = text.find(' ');
    for (OutputId& output : out) {
      const std::size_t end = begin == std::string::npos ? begin : text.find(' ', begin + 1);
      output = names_.id(begin == std::string::npos ? "" : text.substr(begin + 1, end - begin - 1));
      begin = end;
    }
    return {};
  }

  const Privatizer& privatizer_;
  OutputNames names_;
  Counts counts_;
};

class MaskedTarget final : public Target {
 public:
  MaskedTarget(std::shared_ptr<const lm::MaskedMechanism> mechanism, BitSourceMaker bits, unsigned threads)
      : mechanism_(std::move(mechanism)), bits_(std::move(bits)), threads_(base::thread_count(threads)) {}

  Result<void> draw(std::uint64_t run, const AuditInput& input, std::span<OutputId> out) override {
    SOTTO_ASSIGN(const std::vector<std::uint64_t>* const ends, law(input.text));
    const std::unique_ptr<BitSource> bits = bits_(run);
    for (OutputId& output : out) {
      const std::uint64_t point = random::uniform_below(*bits, ends->back());
      output = static_cast<OutputId>(std::upper_bound(ends->begin(), ends->end(), point) - ends->begin());
    }
    return {};
  }

  unsigned threads() const override { return threads_; }
  std::string output(OutputId id) const override { return mechanism_->filler().words()[id]; }

 private:
  /// Cumulative integer weights, by word.
  Result<const std::vector<std::uint64_t>*> law(const std::string& text) {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = laws_.try_emplace(text);
    if (is_new) {
      SOTTO_TRY(mechanism_->weights_of_word(text, entry->second));
      std::partial_sum(entry->second.begin(), entry->second.end(), entry->second.begin());
    }
    return &entry->second;
  }

  std::shared_ptr<const lm::MaskedMechanism> mechanism_;
  BitSourceMaker bits_;
  unsigned threads_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::uint64_t>> laws_;
};

class CommandTarget final : public Target {
 public:
  CommandTarget(std::string command, double timeout, const AuditVocabulary& model)
      : command_(std::move(command)), timeout_(timeout), names_(model) {}

  Result<void> draw(std::uint64_t, const AuditInput& input, std::span<OutputId> out) override {
    SOTTO_ASSIGN(const std::vector<std::string> lines,
                 run_command(command_, input.text, out.size(), timeout_));
    std::transform(lines.begin(), lines.end(), out.begin(),
                   [this](const std::string& line) { return names_.id(line); });
    return {};
  }

  std::string output(OutputId id) const override { return names_.name(id); }

 private:
  std::string command_;
  double timeout_;
  OutputNames names_;
};

}  // namespace

OutputId OutputNames::id(std::string_view output) {
  // Only the model's own spelling: find() also accepts other spellings, which are other outputs.
  if (const TokenId word = model_.find(output); word != model_.bottom() && model_.word(word) == output)
    return word;
  if (const auto known = ids_.find(output); known != ids_.end()) return known->second;
  const auto id = static_cast<OutputId>(model_.size() + 1ULL + others_.size());
  others_.emplace_back(output);
  ids_.emplace(output, id);
  return id;
}

std::string OutputNames::name(OutputId id) const {
  return id < model_.size() ? std::string(model_.word(id)) : others_[id - model_.size() - 1ULL];
}

std::unique_ptr<Target> make_mechanism_target(const Mechanism& mechanism, const AuditVocabulary& model,
                                              BitSourceMaker bits, unsigned threads) {
  return std::make_unique<MechanismTarget>(mechanism, model, std::move(bits), threads);
}

std::unique_ptr<Target> make_masked_target(std::shared_ptr<const lm::MaskedMechanism> mechanism,
                                           BitSourceMaker bits, unsigned threads) {
  return std::make_unique<MaskedTarget>(std::move(mechanism), std::move(bits), threads);
}

std::unique_ptr<Target> make_document_target(const Privatizer& privatizer, const AuditVocabulary& model) {
  return std::make_unique<DocumentTarget>(privatizer, model);
}

std::unique_ptr<Target> make_command_target(std::string command, double timeout,
                                            const AuditVocabulary& model) {
  return std::make_unique<CommandTarget>(std::move(command), timeout, model);
}

}  // namespace sotto::audit
