// The shipped models by the engine, and questions to ask them.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "lm/language_model.hpp"
#include "support/correlation.hpp"

namespace sotto::testing {

inline std::filesystem::path shipped_model(const std::string& name) {
  return std::filesystem::path(SOTTO_SHIPPED_MODELS) / name;
}

inline nlohmann::json shipped_reference(const std::string& name) {
  std::ifstream file(std::filesystem::path(SOTTO_SHIPPED_DATA) / (name + ".json"));
  return nlohmann::json::parse(file);
}

inline LanguageModelResources on_threads(unsigned threads) {
  return {Device::cpu, Precision::automatic, threads};
}

/// Opened by what language_model_backend chooses, which must be the engine.
inline std::shared_ptr<const lm::MaskedModel> engine_masked(unsigned threads = 1) {
  const auto folder = shipped_model("sotto-en-mlm");
  const auto backend = lm::language_model_backend(lm::ModelUse::masked, folder, on_threads(threads)).value();
  EXPECT_EQ(backend, &lm::engine_backend());
  return backend->open_masked(folder, on_threads(threads)).value();
}
inline std::shared_ptr<const lm::SentenceModel> engine_sentence(unsigned threads = 1) {
  const auto folder = shipped_model("sotto-en-encoder");
  const auto backend =
      lm::language_model_backend(lm::ModelUse::sentence, folder, on_threads(threads)).value();
  EXPECT_EQ(backend, &lm::engine_backend());
  return backend->open_sentence(folder, on_threads(threads)).value();
}
inline std::shared_ptr<const lm::CausalModel> engine_causal(const std::string& name, unsigned threads = 1) {
  const auto folder = shipped_model(name);
  const auto backend = lm::language_model_backend(lm::ModelUse::causal, folder, on_threads(threads)).value();
  EXPECT_EQ(backend, &lm::engine_backend());
  return backend->open_causal(folder, on_threads(threads)).value();
}

/// What the reference asks the masked model.
struct MaskedQuestions {
  std::vector<lm::Sequence> sequences;
  std::vector<std::uint32_t> places;
};
inline MaskedQuestions masked_questions() {
  MaskedQuestions questions;
  for (const nlohmann::json& row : shipped_reference("mlm")) {
    questions.sequences.push_back(
        {row["pieces"].get<std::vector<std::int32_t>>(), row["slots"].get<std::vector<std::int32_t>>(),
         row["segments"].get<std::vector<std::int32_t>>(), row["indices"].get<std::vector<std::int32_t>>()});
    questions.places.push_back(row["at"].get<std::uint32_t>());
  }
  return questions;
}

inline std::vector<lm::Sequence> reference_ids(const std::string& name) {
  std::vector<lm::Sequence> sequences;
  for (const nlohmann::json& row : shipped_reference(name))
    sequences.push_back({row["ids"].get<std::vector<std::int32_t>>(), {}, {}, {}});
  return sequences;
}

inline std::string digest_of(std::span<const float> numbers) {
  return base::to_hex(base::sha256({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()}))
      .substr(0, 16);
}

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

}  // namespace sotto::testing
