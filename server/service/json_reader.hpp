// JSON from clients, which may be hostile: the only place of the server that parses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/failure.hpp"

namespace sotto::server {

/// How deeply arrays and objects may nest.
inline constexpr std::size_t kDeepestRequest = 32;

/// A parsed object. What it hands out lives as long as the object. Members are found by name; one that is
/// absent or null is empty, one of another type a failure that names it.
class JsonObject {
 public:
  JsonObject(JsonObject&&) noexcept;
  JsonObject& operator=(JsonObject&&) noexcept;
  ~JsonObject();

  /// Refuses what is not a JSON object in UTF-8, members that are not in `known` or come twice, at any depth,
  /// strings that are not Unicode and numbers that do not fit.
  static Outcome<JsonObject> parse(std::string_view json, std::span<const std::string_view> known);

  bool has(std::string_view name) const;
  Outcome<std::optional<std::string_view>> text(std::string_view name) const;
  Outcome<std::optional<std::vector<std::string_view>>> texts(std::string_view name, std::size_t most) const;
  Outcome<std::optional<double>> number(std::string_view name) const;
  Outcome<std::optional<std::vector<double>>> numbers(std::string_view name, std::size_t most) const;
  Outcome<std::optional<bool>> boolean(std::string_view name) const;
  Outcome<std::optional<std::uint64_t>> integer(std::string_view name, std::uint64_t low,
                                                std::uint64_t high) const;
  /// A member that is an object, whose own members are texts, numbers and booleans: each as text.
  Outcome<std::vector<std::pair<std::string_view, std::string>>> settings(std::string_view name) const;
  /// An array of objects, each with members from `known`.
  Outcome<std::optional<std::vector<JsonObject>>> objects(std::string_view name, std::size_t most,
                                                          std::span<const std::string_view> known) const;
  /// A member that is an object of objects, each with members from `known`; none if it is absent.
  Outcome<std::vector<std::pair<std::string_view, JsonObject>>> objects_by_name(
      std::string_view name, std::size_t most, std::span<const std::string_view> known) const;

  /// A member as JSON; empty if it is absent.
  std::string json(std::string_view name) const;
  /// The whole object without these members, as JSON.
  std::string json_without(std::span<const std::string_view> names) const;

 private:
  struct Parsed;
  explicit JsonObject(std::shared_ptr<const Parsed> parsed);
  std::shared_ptr<const Parsed> parsed_;
};

}  // namespace sotto::server
