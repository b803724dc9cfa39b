// The backend for tests, and the checkpoints in data/.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lm/language_model.hpp"
#include "support/expected_sequences.hpp"

namespace sotto::testing {

inline std::filesystem::path checkpoint_folder(const std::string& name) {
  return std::filesystem::path(SOTTO_TEST_DATA) / name;
}

inline nlohmann::json expected_of(const std::string& checkpoint) {
  std::ifstream file(checkpoint_folder(checkpoint) / "expected.json");
  return nlohmann::json::parse(file);
}

/// Tests that need the plugin; skipped if it was not built.
class PluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef SOTTO_TEST_PLUGINS
    ::setenv("SOTTO_PLUGINS", SOTTO_TEST_PLUGINS, 0);
    const Result<lm::LanguageModelBackend*> loaded = lm::language_model_plugin();
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    backend_ = *loaded;
#else
    GTEST_SKIP() << "built without libtorch, so there is no plugin to test";
#endif
  }

  /// Two threads, so that batches are split.
  static LanguageModelResources resources(Precision precision = Precision::f32) {
    return {Device::cpu, precision, 2};
  }
  lm::LanguageModelBackend& backend() {
    return *backend_;
  }

  std::shared_ptr<const lm::MaskedModel> masked(const std::filesystem::path& folder,
                                                LanguageModelResources how = resources()) {
    auto model = backend().open_masked(folder, how);
    EXPECT_TRUE(model.has_value()) << model.error().message;
    return model.value_or(nullptr);
  }

 private:
  lm::LanguageModelBackend* backend_ = nullptr;
};

}  // namespace sotto::testing
