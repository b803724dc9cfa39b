// A few texts before and after, so that readers of a report see what its figures are about.
#pragma once

#include <string>
#include <vector>

#include "evaluate/experiment/rewritten_texts.hpp"

namespace sotto::evaluate {

/// A few texts of a data set as one mechanism rewrote them. Strings are labels, like those of a cell.
struct TextSample {
  std::string dataset;
  std::string model;
  std::string mechanism;
  double epsilon = 0;
  std::vector<std::string> originals;
  std::vector<std::string> privatized;  ///< in the same order
};

/// One sample per data set, model, mechanism and ε of these requests whose texts were made, in their order.
/// All samples of a data set show the same texts. A report is complete without them, so texts that cannot be
/// read are left out.
std::vector<TextSample> sample_texts(const std::vector<TextRequest>& requests, const RewrittenTexts& texts,
                                     const ExperimentInputs& inputs);

}  // namespace sotto::evaluate
