// The texts that sotto::choose measures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sotto/choose.hpp>
#include <sotto/model.hpp>

namespace sotto::evaluate {

/// Public text that is part of the library.
const std::vector<std::string>& public_sentences();

/// Documents to measure, cut to a readable length.
struct ChoiceText {
  MeasuredText facts;                  ///< `unknown` is not known yet
  std::vector<std::string> documents;  ///< facts.documents of them
};

/// A sample of the private text.
Result<ChoiceText> sample_private_text(const ChooseOptions& options);

/// The public text, and where the attacker's knowledge of frequencies comes from.
struct PublicSample {
  ChoiceText text;
  std::vector<std::string> frequency_text;  ///< empty: use those of the model

  /// The weight of each word of the model, above 0.
  std::vector<double> frequencies(const Model& model) const;
};
Result<PublicSample> sample_public_text(const ChooseOptions& options);

}  // namespace sotto::evaluate
