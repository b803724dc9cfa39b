// Classifiers that are networks and learn on libtorch: an LSTM on word vectors, in one direction or two, and
// a transformer that begins as a language model.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "evaluate/classifier.hpp"

namespace sotto {

/// "lstm", "bilstm" and "transformer", parameters with their defaults.
const std::vector<ClassifierInfo>& network_classifier_infos();

/// Refuses values that are not allowed, and says what is missing where there is no libtorch. `parameters` are
/// complete.
Result<std::unique_ptr<Classifier>> make_network_classifier(std::string_view name,
                                                            const ParameterValues& parameters);

}  // namespace sotto
