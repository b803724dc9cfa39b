// Reads JSON settings files; every error names the file and the field.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <sotto/result.hpp>

namespace sotto::lm {

using Json = nlohmann::json;

/// Reads a file whose content is a JSON object.
Result<Json> read_json_object(const std::filesystem::path& file);
/// The same; an empty object if the file does not exist.
Result<Json> read_optional_json_object(const std::filesystem::path& file);

/// A JSON object with its location, for messages. The object must outlive the view.
class JsonView {
 public:
  /// `place` is the file's name, or the file's name and the path of fields.
  JsonView(const Json& object, std::string place) : object_(&object), place_(std::move(place)) {}

  const Json& json() const { return *object_; }
  const std::string& place() const { return place_; }

  /// The field; null if it is absent or null.
  const Json* find(std::string_view field) const;
  /// "PLACE: FIELD what is wrong".
  tl::unexpected<Error> wrong(std::string_view field, std::string_view problem) const;

  /// `missing` is returned if the field is absent or null.
  Result<bool> boolean(std::string_view field, bool missing) const;
  Result<std::string> string(std::string_view field, std::string_view missing) const;
  /// A number from 0 to 2^32 − 2.
  Result<std::uint32_t> natural(std::string_view field) const;
  /// The field, which must be an object.
  Result<JsonView> object(std::string_view field) const;

 private:
  const Json* object_;
  std::string place_;
};

}  // namespace sotto::lm
