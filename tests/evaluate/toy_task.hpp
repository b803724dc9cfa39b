// Small tasks for classifiers.
#pragma once

#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "evaluate/classifiers/classifier.hpp"

namespace sotto::testing {

/// Texts of twelve common words and one that tells the class: `marks[label]`. Labels are uniform and
/// independent.
inline std::vector<evaluate::LabelledText> marked_texts(std::size_t count,
                                                        const std::vector<std::string>& marks,
                                                        unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<evaluate::LabelledText> texts;
  for (std::size_t i = 0; i < count; ++i) {
    evaluate::LabelledText text;
    text.label = static_cast<evaluate::ClassIndex>(generator() % marks.size());
    const std::size_t place = generator() % 12;
    for (std::size_t j = 0; j < 12; ++j) {
      if (j == place) text.text += marks[text.label] + " ";
      text.text += fmt::format("word{} ", static_cast<char>('a' + generator() % 20));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

inline evaluate::TaskData marked_task(const std::vector<std::string>& marks, std::size_t test_texts = 300) {
  evaluate::TaskData data;
  for (std::size_t i = 0; i < marks.size(); ++i) data.task.class_names.push_back(fmt::format("class {}", i));
  data.train = marked_texts(600, marks, 1);
  data.test = marked_texts(test_texts, marks, 2);
  return data;
}

/// Small and fast, and sufficient for these texts.
inline ParameterValues toy_parameters() {
  return {{"dimension", "10"}, {"buckets", "1000"}, {"epochs", "15"}, {"learning_rate", "0.5"}};
}

}  // namespace sotto::testing
