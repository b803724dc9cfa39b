// What the falsifier draws from: a mechanism, the document path, or a foreign program.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/black_box.hpp>
#include <sotto/privatize.hpp>

#include "audit/falsify/audit_vocabulary.hpp"
#include "audit/falsify/claim.hpp"
#include "lm/masked_mechanism.hpp"

namespace sotto::audit {

/// Identifies an output: equal for equal outputs. Words of the model have their TokenId.
using OutputId = std::uint32_t;

class Target {
 public:
  virtual ~Target() = default;

  /// Fills `out` with outputs of `input`, drawn one by one. `run` distinguishes draws that should be
  /// independent.
  virtual Result<void> draw(std::uint64_t run, const AuditInput& input, std::span<OutputId> out) = 0;

  /// The same within one run: one bit source, one document, one process.
  virtual Result<void> draw_run(std::uint64_t run, const AuditInput& input, std::span<OutputId> out) {
    return draw(run, input, out);
  }

  /// How many threads may draw concurrently.
  virtual unsigned threads() const { return 1; }

  virtual std::string output(OutputId id) const = 0;
};

/// Outputs that are strings: words of the model keep their id, others get the next numbers above ⊥.
class OutputNames {
 public:
  explicit OutputNames(const AuditVocabulary& model) : model_(model) {}

  OutputId id(std::string_view output);
  std::string name(OutputId id) const;

 private:
  const AuditVocabulary& model_;
  std::map<std::string, OutputId, std::less<>> ids_;
  std::vector<std::string> others_;
};

/// Both must outlive the target.
std::unique_ptr<Target> make_mechanism_target(const Mechanism& mechanism, const AuditVocabulary& model,
                                              BitSourceMaker bits, unsigned threads);

/// Texts through a Privatizer; each draw is a separate document. Both must outlive the target.
std::unique_ptr<Target> make_document_target(const Privatizer& privatizer, const AuditVocabulary& model);

/// The word of a one-word text, drawn by a masked model: the model's answer is computed once per input, and
/// its law sampled as often as requested.
std::unique_ptr<Target> make_masked_target(std::shared_ptr<const lm::MaskedMechanism> mechanism,
                                           BitSourceMaker bits, unsigned threads);

/// Words through a program. The model must outlive the target.
std::unique_ptr<Target> make_command_target(std::string command, double timeout,
                                            const AuditVocabulary& model);

}  // namespace sotto::audit
