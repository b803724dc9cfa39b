// config.json of a model folder. Its numbers decide how much memory is allocated, so all are checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace sotto::lm {

/// Limits that no real model exceeds.
inline constexpr std::int64_t kLargestWidth = 1 << 17;
inline constexpr std::int64_t kLargestVocabulary = 1 << 22;
inline constexpr std::int64_t kMostLayers = 1 << 10;
inline constexpr std::int64_t kMostPositions = 1 << 20;

/// A JSON object in a file, read with checks: every function throws Failure with the file, the key and the
/// allowed values.
// NOLINTNEXTLINE(bugprone-exception-escape): JSON's default constructor, a null, allocates nothing
class Config {
 public:
  static Config read(const std::filesystem::path& file);

  bool has(const char* key) const;
  std::int64_t whole(const char* key, std::int64_t lowest, std::int64_t highest,
                     std::optional<std::int64_t> fallback = {}) const;
  double number(const char* key, double lowest, double highest, std::optional<double> fallback = {}) const;
  std::string text(const char* key, std::optional<std::string> fallback = {}) const;
  bool flag(const char* key, bool fallback) const;
  std::vector<double> numbers(const char* key) const;

  const nlohmann::json& json() const { return json_; }
  const std::string& name() const { return name_; }  ///< the file's, for messages
  [[noreturn]] void refuse_value(const char* key, const std::string& allowed) const;

 private:
  const nlohmann::json* find(const char* key) const;
  nlohmann::json json_;
  std::string name_;
};

}  // namespace sotto::lm
