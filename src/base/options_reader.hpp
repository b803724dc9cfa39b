// Options as JSON objects: how each member, by name, sets an option. Errors name the member.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include <sotto/result.hpp>

#include "base/checked_value.hpp"

namespace sotto::base {

/// Every JSON reader keeps integers up to this.
inline constexpr std::uint64_t kLargestExact = 1ULL << 53;

/// How long a list may be; that of the input files may be longer.
inline constexpr std::size_t kMostValues = 10'000;
inline constexpr std::size_t kMostFiles = 1'000'000;

/// What is added must outlive the reader. Absent members leave their targets as they are.
class OptionsReader {
 public:
  using Json = nlohmann::json;
  /// Takes the value of the member called `name`, which is for errors.
  using Take = std::function<Result<void>(const std::string& name, const Json& value)>;

  void text(std::string_view name, std::string& target);
  void path(std::string_view name, std::filesystem::path& target);
  void path(std::string_view name, std::optional<std::filesystem::path>& target);
  void number(std::string_view name, double& target);
  void number(std::string_view name, std::optional<double>& target);
  void flag(std::string_view name, bool& target);
  void texts(std::string_view name, std::vector<std::string>& target);
  void paths(std::string_view name, std::vector<std::filesystem::path>& target);
  void numbers(std::string_view name, std::vector<double>& target);
  /// An object of settings.
  void values(std::string_view name, std::map<std::string, std::string>& target);
  /// One of `allowed`.
  void choice(std::string_view name, std::string& target, std::span<const std::string_view> allowed);
  /// For all others.
  void member(std::string_view name, Take take);

  /// An integer, or an optional one, from `low` to `high`.
  template <class Integer>
  void integer(std::string_view name, Integer& target, std::uint64_t low = 0,
               std::uint64_t high = kLargestExact) {
    member(name, [=, &target](const std::string& own, const Json& value) -> Result<void> {
      SOTTO_ASSIGN(const std::uint64_t number, integer_of(own, value, low, high));
      if constexpr (std::is_integral_v<Integer>)
        target = static_cast<Integer>(number);
      else
        target = number;
      return {};
    });
  }

  /// A value that has a name; parse(name) is a Result of it.
  template <class T, class Parse>
  void named(std::string_view name, T& target, Parse parse) {
    member(name, [=, &target](const std::string& own, const Json& value) -> Result<void> {
      SOTTO_ASSIGN(const std::string text, text_of(own, value));
      SOTTO_ASSIGN(target, parse(text));
      return {};
    });
  }

  /// Reads a whole object.
  Result<void> read(std::string_view json) const;
  /// Reads an object inside another: the names in errors begin with `name` and a dot.
  Result<void> read(const std::string& name, const Json& object) const;

  /// What a value is, or an error about `name`.
  static Result<std::string> text_of(const std::string& name, const Json& value);
  /// The same, for a parameter of a mechanism: numbers and booleans are equivalent to their texts.
  static Result<std::string> setting_of(const std::string& name, const Json& value);
  static Result<double> number_of(const std::string& name, const Json& value);
  static Result<std::uint64_t> integer_of(const std::string& name, const Json& value, std::uint64_t low,
                                          std::uint64_t high);
  /// Calls take(name, element) for each element of an array.
  static Result<void> each_of(const std::string& name, const Json& value, std::size_t most, const Take& take);
  static tl::unexpected<Error> wrong_type(std::string_view name, std::string_view wanted);

 private:
  Result<void> read_members(std::string_view prefix, const Json& object) const;
  tl::unexpected<Error> no_such(std::string_view prefix, const std::string& name) const;

  std::map<std::string, Take, std::less<>> members_;
};

}  // namespace sotto::base
