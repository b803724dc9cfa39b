#include "config/profile_reader.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sotto/error_text.hpp>
#include <sotto/options_json.hpp>
#include <sotto/text_values.hpp>

namespace sotto::server {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestName = 64;
constexpr std::string_view kPlain = "?";  // the tag of a scalar without quotes

const std::vector<std::string> kLedgerMembers = {"file", "limit", "wait"};
const std::vector<std::string> kAllowedMembers = {"mechanism", "most_epsilon"};
const std::vector<std::string> kProfileMembers = {"mechanism",
                                                  "epsilon",
                                                  "document_epsilon",
                                                  "budget",
                                                  "profile",
                                                  "collocations",
                                                  "phrases",
                                                  "target",
                                                  "parameters",
                                                  "model",
                                                  "policy",
                                                  "stopwords",
                                                  "oov",
                                                  "numbers",
                                                  "punctuation",
                                                  "case",
                                                  "articles",
                                                  "key_file",
                                                  "unique_ids",
                                                  "memory",
                                                  "threads",
                                                  "device",
                                                  "precision",
                                                  "max_document_bytes",
                                                  "delta",
                                                  "epsilon_chosen_on",
                                                  "ledger",
                                                  "repeat",
                                                  "allowed",
                                                  "outside"};

/// Profiles are part of documents' names, of keys and of query strings.
bool is_profile_name(const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.'; };
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), fits);
}

/// What a scalar without quotes means in JSON.
Json plain_json(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc() && read.ptr == end)
    return whole;
  double number = 0;
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end && std::isfinite(number)) return number;
  return text;
}

/// The tree is at most as deep as YamlFile allows.
Json json_of(const YAML::Node& node) {
  if (node.IsScalar()) return node.Tag() == kPlain ? plain_json(node.Scalar()) : Json(node.Scalar());
  Json json;
  if (node.IsSequence()) {
    json = Json::array();
    for (const YAML::Node& item : node) json.push_back(json_of(item));
  } else if (node.IsMap()) {
    json = Json::object();
    for (const auto& item : node)
      if (item.first.IsScalar()) json[item.first.Scalar()] = json_of(item.second);
  }
  return json;
}

/// Where an error about "parameters.k" is: on the line of k, or else of parameters.
YAML::Node blamed(const YAML::Node& map, const std::string& parameter) {
  const std::string member = parameter.substr(0, parameter.find('.'));
  for (const auto& item : map) {
    if (!item.first.IsScalar() || item.first.Scalar() != member) continue;
    return member.size() < parameter.size() && item.second.IsMap()
               ? blamed(item.second, parameter.substr(member.size() + 1))
               : item.second;
  }
  return map;
}

class ProfileReader {
 public:
  ProfileReader(const YamlFile& file, std::string name) : file_(file) { profile_.name = std::move(name); }

  Result<Profile> read(const YAML::Node& node) {
    SOTTO_TRY(file_.each_member(
        "profile " + profile_.name, node,
        [&](const std::string& member, const YAML::Node& value) { return take(member, value); }));
    const std::string json = options_.dump(-1, ' ', false, Json::error_handler_t::replace);
    auto options = privatize_options_from_json(json);
    if (!options) return file_.at(blamed(node, options.error().parameter), options.error());
    profile_.options = std::move(*options);
    if (!options_.contains("epsilon") && !options_.contains("document_epsilon"))
      return file_.refuse(
          node,
          fmt::format("profile {} states neither epsilon nor document_epsilon; give one", profile_.name));
    return std::move(profile_);
  }

 private:
  Result<void> take(const std::string& member, const YAML::Node& value) {
    if (member == "ledger") return take_ledger(value);
    if (member == "repeat") return take_repeat(value);
    if (member == "allowed")
      return file_.each_item(member, value,
                             [&](const std::string&, const YAML::Node& item) { return take_allowed(item); });
    if (member == "outside") return take_outside(value);
    if (member == "seed")
      return file_.refuse(value,
                          "seed makes public noise, and nothing that a service releases may have it; "
                          "give key_file for repeatable noise");
    if (std::find(kProfileMembers.begin(), kProfileMembers.end(), member) == kProfileMembers.end())
      return file_.no_such(value, member, kProfileMembers);
    options_[member] = json_of(value);
    return {};
  }

  Result<void> take_ledger(const YAML::Node& value) {
    LedgerOptions ledger;
    bool limited = false;
    SOTTO_TRY(file_.each_member(
        "ledger", value, [&](const std::string& member, const YAML::Node& node) -> Result<void> {
          if (std::find(kLedgerMembers.begin(), kLedgerMembers.end(), member) == kLedgerMembers.end())
            return file_.no_such(node, member, kLedgerMembers);
          SOTTO_ASSIGN(const std::string text, file_.text_of(member, node));
          if (member == "file") {
            ledger.file = text;
            return {};
          }
          limited = limited || member == "limit";
          const bool is_limit = member == "limit";
          const auto number = is_limit ? read_number(member, text, kSmallestEpsilon, kLargestLimit)
                                       : read_number(member, text, 0, kLongestLedgerWait);
          if (!number) return file_.at(node, number.error());
          (is_limit ? ledger.limit : ledger.wait_seconds) = *number;
          return {};
        }));
    if (ledger.file.empty() || !limited)
      return file_.refuse(value, "ledger needs both file and limit, the epsilon a subject may spend");
    profile_.ledger = std::move(ledger);
    return {};
  }

  Result<void> take_repeat(const YAML::Node& value) {
    SOTTO_ASSIGN(const std::string text, file_.text_of("repeat", value));
    const auto choice = read_choice("repeat", text, {"refuse", "same"});
    if (!choice) return file_.at(value, choice.error());
    profile_.repeat = *choice == 0 ? Repeat::refuse : Repeat::same;
    return {};
  }

  Result<void> take_outside(const YAML::Node& value) {
    SOTTO_ASSIGN(const std::string text, file_.text_of("outside", value));
    const auto choice = read_choice("outside", text, {"privatize", "keep"});
    if (!choice) return file_.at(value, choice.error());
    profile_.outside_keep = *choice == 1;
    return {};
  }

  Result<void> take_allowed(const YAML::Node& value) {
    AllowedMechanism allowed;
    SOTTO_TRY(file_.each_member(
        "allowed", value, [&](const std::string& member, const YAML::Node& node) -> Result<void> {
          if (std::find(kAllowedMembers.begin(), kAllowedMembers.end(), member) == kAllowedMembers.end())
            return file_.no_such(node, member, kAllowedMembers);
          SOTTO_ASSIGN(const std::string text, file_.text_of(member, node));
          if (member == "mechanism") {
            allowed.name = text;
            return {};
          }
          const auto epsilon = read_number(member, text, kSmallestEpsilon, kLargestEpsilon);
          if (!epsilon) return file_.at(node, epsilon.error());
          allowed.most_epsilon = *epsilon;
          return {};
        }));
    if (allowed.name.empty() || allowed.most_epsilon == 0)
      return file_.refuse(value, "each of allowed needs both mechanism and most_epsilon");
    profile_.allowed.push_back(std::move(allowed));
    return {};
  }

  const YamlFile& file_;
  Profile profile_;
  Json options_ = Json::object();
};

}  // namespace

Result<Profile> read_profile(const YamlFile& file, const std::string& name, const YAML::Node& node) {
  if (!is_profile_name(name))
    return file.refuse(node,
                       "the name of a profile has 1 to 64 letters, digits, hyphens, underscores or dots");
  return ProfileReader(file, name).read(node);
}

}  // namespace sotto::server
