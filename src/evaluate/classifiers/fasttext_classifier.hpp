// A linear model over averaged word and word-pair vectors, trained by libfasttext: a fast first result.
#pragma once

#include <memory>

#include "evaluate/classifiers/classifier.hpp"

namespace sotto::evaluate {

/// Name "fasttext", parameters with their defaults.
const ClassifierInfo& fasttext_classifier_info();

/// Rejects values that are not allowed. `parameters` are complete.
Result<std::unique_ptr<Classifier>> make_fasttext_classifier(const ParameterValues& parameters);

}  // namespace sotto::evaluate
