// A small model with phrases, written as a real model file that includes its phrase table.
#pragma once

#include <algorithm>

#include "base/file.hpp"
#include "collocation/phrase_writer.hpp"
#include "support/tiny_model.hpp"

namespace sotto::testing {

/// Writes the model with these phrases inside and opens it.
inline std::shared_ptr<const Model> write_phrase_model(const std::filesystem::path& file,
                                                       const VectorModel& given,
                                                       const std::vector<ScoredPhrase>& phrases) {
  write_vector_model(file, given);
  const base::MappedFile mapped = base::MappedFile::open(file).value();
  const base::Safetensors parsed = base::parse_safetensors(mapped.bytes(), "model").value();
  collocation::PhraseTensors extra =
      collocation::make_phrase_tensors(collocation::make_phrase_parts(phrases).value());
  std::vector<base::TensorToWrite> tensors = std::move(extra.tensors);
  for (const auto& [name, view] : parsed.tensors)
    tensors.push_back({name, view.type, view.shape, [&view = view](const base::ByteSink& sink) {
                         return sink({reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size()});
                       }});
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const base::TensorToWrite& a, const base::TensorToWrite& b) {
                     return base::element_size(a.type) > base::element_size(b.type);
                   });
  base::Metadata metadata = parsed.metadata;
  metadata.erase(std::string(base::kDigestKey));
  metadata.merge(extra.metadata);
  const auto whole = std::filesystem::path(file.string() + ".whole");
  if (auto digest = base::write_safetensors(whole, metadata, tensors); !digest)
    throw std::runtime_error(digest.error().message);
  std::filesystem::rename(whole, file);
  auto model = Model::open(file);
  if (!model) throw std::runtime_error(model.error().message);
  return *model;
}

/// The phrases of Figure 1 of "A Collocation-based Method for Addressing Challenges in Word-level Metric
/// Differential Privacy", and the names of two cities.
inline std::vector<ScoredPhrase> few_phrases() {
  return {{"i_think", 5.5, 40}, {"therefore_i", 2.03, 9}, {"i_am", 6.93, 50},
          {"new_york", 9, 30},  {"new_york_city", 12, 7}, {"los_angeles", 11, 20}};
}

/// These phrases and single words, in vectors of 6 dimensions that are far apart; counts fall with the id.
inline VectorModel phrase_model_parts() {
  VectorModel parts;
  parts.words = {"the",     "i",           "think",    "therefore", "am",    "new",         "york",
                 "city",    "los",         "angeles",  "soup",      "cold",  "was",         "we",
                 "i_think", "therefore_i", "new_york", "i_am",      "paris", "los_angeles", "new_york_city"};
  std::uint64_t state = 12345;
  for (std::size_t i = 0; i < 6 * parts.words.size(); ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    parts.vectors.push_back(static_cast<int>(state >> 53) - 1024);
  }
  for (std::size_t i = 0; i < parts.words.size(); ++i) parts.counts.push_back(1000 - i);
  parts.scale = 1.0 / 256;
  return parts;
}

}  // namespace sotto::testing
