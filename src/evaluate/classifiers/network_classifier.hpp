// Classifiers that are networks trained with libtorch: an LSTM on word vectors, in one direction or two, and
// a transformer initialized from a language model.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "evaluate/classifiers/classifier.hpp"

namespace sotto::evaluate {

/// "lstm", "bilstm" and "transformer", parameters with their defaults.
const std::vector<ClassifierInfo>& network_classifier_infos();

/// Rejects values that are not allowed; without libtorch, says what is missing. `parameters` are complete.
Result<std::unique_ptr<Classifier>> make_network_classifier(std::string_view name,
                                                            const ParameterValues& parameters);

}  // namespace sotto::evaluate
