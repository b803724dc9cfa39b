// The plugin's networks, for tests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lm/trainable_network.hpp"
#include "support/expected_sequences.hpp"

namespace sotto::testing {

inline nlohmann::json read_json(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return nlohmann::json::parse(stream);
}

/// Tests that need the plugin; skipped if it was not built.
class NetworkTest : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef SOTTO_TEST_PLUGINS
    ::setenv("SOTTO_PLUGINS", SOTTO_TEST_PLUGINS, 0);
    ::setenv("SOTTO_MODELS", SOTTO_SHIPPED_MODELS, 1);
    const Result<lm::NetworkBackend*> loaded = lm::network_backend();
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    backend_ = *loaded;
#else
    GTEST_SKIP() << "built without libtorch, so there is no plugin to test";
#endif
  }

  lm::NetworkBackend& backend() {
    return *backend_;
  }

  std::unique_ptr<lm::TrainableNetwork> transformer(const std::filesystem::path& folder,
                                                    lm::StatePooling pooling,
                                                    const lm::NetworkSettings& settings) {
    auto network = backend().open_transformer(folder, pooling, settings);
    EXPECT_TRUE(network.has_value()) << network.error().message;
    return network ? std::move(*network) : nullptr;
  }

 private:
  lm::NetworkBackend* backend_ = nullptr;
};

}  // namespace sotto::testing
