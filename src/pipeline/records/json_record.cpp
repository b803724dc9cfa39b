#include "pipeline/records/json_record.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/json.hpp"
#include "base/suggestion.hpp"
#include "pipeline/records/json_text_path.hpp"
#include "text/printable.hpp"

namespace sotto::pipeline {
namespace {

namespace ondemand = simdjson::ondemand;

enum class FieldRole { text, id, subject };

/// A path that leads to or through the current value, with the number of its steps so far.
struct PathMatch {
  const FieldPath* path;
  FieldRole role;
  std::size_t taken;

  bool is_complete() const { return taken == path->steps().size(); }
  const std::string& step() const { return path->steps()[taken]; }
};
using PathMatches = std::vector<PathMatch>;

/// Where a path cannot go on.
struct Gap {
  const FieldPath* path;
  std::string at;  // JSON Pointer of the value without the next step
};

bool is_index(const std::string& step) {
  return !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
}

tl::unexpected<Error> json_problem(std::string_view message) {
  return fail(Errc::bad_format, message);
}

tl::unexpected<Error> not_json(simdjson::error_code error) {
  return json_problem(fmt::format("not a JSON object: {}", simdjson::error_message(error)));
}

simdjson::error_code walk(ondemand::value value, std::size_t depth);

simdjson::error_code walk_array(ondemand::value& value, std::size_t depth) {
  ondemand::array array;
  if (const auto error = value.get_array().get(array); error) return error;
  for (auto element : array) {
    ondemand::value item;
    if (const auto error = element.get(item); error) return error;
    if (const auto error = walk(item, depth); error) return error;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code walk_object(ondemand::value& value, std::size_t depth) {
  ondemand::object object;
  if (const auto error = value.get_object().get(object); error) return error;
  for (auto member : object) {
    ondemand::value item;
    if (const auto error = member.value().get(item); error) return error;
    if (const auto error = walk(item, depth); error) return error;
  }
  return simdjson::SUCCESS;
}

/// Walks over a value that is copied unchanged, to detect malformed ones. `depth` is that of the enclosing
/// object or array.
simdjson::error_code walk(ondemand::value value, std::size_t depth) {
  if (depth > base::kDeepestJson) return simdjson::DEPTH_ERROR;
  ondemand::json_type type{};
  if (const auto error = value.type().get(type); error) return error;
  switch (type) {
    case ondemand::json_type::array:
      return walk_array(value, depth + 1);
    case ondemand::json_type::object:
      return walk_object(value, depth + 1);
    case ondemand::json_type::string:
      return value.get_string().error();
    case ondemand::json_type::number:
      return value.get_double().error();
    case ondemand::json_type::boolean:
      return value.get_bool().error();
    case ondemand::json_type::null:
      break;
  }
  return value.is_null() ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
}

}  // namespace

class JsonRecordParser::Impl {
 public:
  Impl(const RecordLayout& layout, std::set<std::string>& clear_fields)
      : layout_(layout), clear_fields_(clear_fields) {
    for (const FieldPath& path : layout.paths) all_.push_back({&path, FieldRole::text, 0});
    if (layout.id_path) all_.push_back({&*layout.id_path, FieldRole::id, 0});
    if (layout.subject_path) all_.push_back({&*layout.subject_path, FieldRole::subject, 0});
  }

  Result<JsonRecord> parse(std::string_view line) {
    line_ = line;
    record_ = {};
    gaps_.clear();
    pointer_.clear();
    pattern_.clear();
    depth_ = 0;
    ondemand::document document;
    ondemand::object object;
    if (const auto error = parser_.iterate(padded()).get(document); error) return not_json(error);
    if (const auto error = document.get_object().get(object); error) return not_json(error);
    SOTTO_TRY(visit_object(object, all_));
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
      return json_problem("something follows the JSON object");
    SOTTO_TRY(check_complete());
    return std::move(record_);
  }

 private:
  simdjson::padded_string_view padded() const {
    return simdjson::padded_string_view(line_.data(), line_.size(),
                                        line_.size() + simdjson::SIMDJSON_PADDING);
  }

  /// Goes one step down and calls `visit`.
  template <class Visit>
  Result<void> below(std::string_view name, std::string_view pattern, const Visit& visit) {
    const std::size_t pointer_size = pointer_.size();
    const std::size_t pattern_size = pattern_.size();
    append_step(pointer_, name);
    append_step(pattern_, pattern);
    if (++depth_ == 1) member_ = name;
    SOTTO_TRY(visit());
    --depth_;
    pointer_.resize(pointer_size);
    pattern_.resize(pattern_size);
    return {};
  }

  Result<void> visit_object(ondemand::object& object, const PathMatches& matches) {
    std::vector<std::string_view> taken;
    PathMatches next;
    for (auto member : object) {
      std::string_view key;
      ondemand::value value;
      if (const auto error = member.unescaped_key().get(key); error) return not_json(error);
      if (const auto error = member.value().get(value); error) return not_json(error);
      next.clear();
      for (const PathMatch& match : matches)
        if (match.step() == key) next.push_back({match.path, match.role, match.taken + 1});
      if (next.empty()) {
        SOTTO_TRY(pass_over(key, value));
        continue;
      }
      if (std::find(taken.begin(), taken.end(), key) != taken.end())  // the key equals a step of the option
        return json_problem(fmt::format("field '{}' occurs twice", next.front().path->text()));
      taken.push_back(key);
      SOTTO_TRY(below(key, key, [&] { return visit(value, next); }));
    }
    for (const PathMatch& match : matches) {
      if (std::find(taken.begin(), taken.end(), match.step()) != taken.end()) continue;
      if (depth_ > 0 && match.step() == kEveryElement)
        return no_way_down(match, "is an object, not an array");
      add_gap(match);
    }
    return {};
  }

  Result<void> visit_array(ondemand::array& array, const PathMatches& matches) {
    PathMatches next;
    std::vector<bool> went_on(matches.size());
    std::size_t count = 0;
    for (auto element : array) {
      ondemand::value value;
      if (const auto error = element.get(value); error) return not_json(error);
      const std::string index = fmt::format("{}", count++);
      next.clear();
      for (std::size_t i = 0; i < matches.size(); ++i) {
        const PathMatch& match = matches[i];
        if (match.step() != kEveryElement && match.step() != index) continue;
        next.push_back({match.path, match.role, match.taken + 1});
        went_on[i] = true;
      }
      if (next.empty())
        SOTTO_TRY(pass_over(kEveryElement, value));
      else
        SOTTO_TRY(below(index, kEveryElement, [&] { return visit(value, next); }));
    }
    for (std::size_t i = 0; i < matches.size(); ++i) {
      if (went_on[i] || matches[i].step() == kEveryElement) continue;
      if (!is_index(matches[i].step()))
        return no_way_down(matches[i], "is an array; its elements are the step *");
      add_gap(matches[i]);
    }
    return {};
  }

  /// A value to which some path leads.
  Result<void> visit(ondemand::value& value, const PathMatches& matches) {
    ondemand::json_type type{};
    if (const auto error = value.type().get(type); error) return not_json(error);
    for (const PathMatch& match : matches)
      if (match.is_complete())
        return match.role == FieldRole::text ? take_texts(*match.path, type, value)
                                             : take_name(match, matches, type, value);
    if (type == ondemand::json_type::null) return skip_null(value);
    if (type == ondemand::json_type::object) {
      ondemand::object object;
      if (const auto error = value.get_object().get(object); error) return not_json(error);
      return visit_object(object, matches);
    }
    if (type == ondemand::json_type::array) {
      ondemand::array array;
      if (const auto error = value.get_array().get(array); error) return not_json(error);
      return visit_array(array, matches);
    }
    return no_way_down(matches.front(), "is neither an object nor an array");
  }

  /// A value of the wrong type is not a missing one: it may be or hold the text.
  tl::unexpected<Error> no_way_down(const PathMatch& match, std::string_view what_it_is) const {
    return json_problem(
        fmt::format("field '{}': '{}' {}", match.path->text(), text::printable(pointer_), what_it_is));
  }

  /// A member that no path leads to.
  Result<void> pass_over(std::string_view name, ondemand::value& value) {
    add_clear_field(name);
    if (const auto error = walk(value, depth_ + 1); error) return not_json(error);
    return {};
  }

  /// Null has no text, whether it stands for the field or for the object around it.
  static Result<void> skip_null(ondemand::value& value) {
    if (!value.is_null()) return not_json(simdjson::N_ATOM_ERROR);
    return {};
  }

  /// The value of a field: a string, or an array of strings.
  Result<void> take_texts(const FieldPath& path, ondemand::json_type type, ondemand::value& value) {
    if (type != ondemand::json_type::array) return take_text(path, type, value);
    ondemand::array array;
    if (const auto error = value.get_array().get(array); error) return not_json(error);
    std::size_t index = 0;
    for (auto element : array) {
      ondemand::value item;
      ondemand::json_type item_type{};
      if (const auto error = element.get(item); error) return not_json(error);
      if (const auto error = item.type().get(item_type); error) return not_json(error);
      SOTTO_TRY(below(fmt::format("{}", index++), kEveryElement,
                      [&] { return take_text(path, item_type, item, true); }));
    }
    return {};
  }

  /// `is_element`: the value is an element of the field, which is an array.
  Result<void> take_text(const FieldPath& path, ondemand::json_type type, ondemand::value& value,
                         bool is_element = false) {
    if (type == ondemand::json_type::null) return skip_null(value);
    if (type == ondemand::json_type::object) return not_a_string(path, value, is_element);
    if (type != ondemand::json_type::string)
      return json_problem(fmt::format("field '{}' is not a string", path.text()));
    const std::string_view token = value.raw_json_token();
    const auto begin = static_cast<std::size_t>(token.data() - line_.data());
    const std::size_t length = token.find_last_of('"') + 1;  // whitespace may follow
    std::string_view text;
    if (const auto error = value.get_string().get(text); error) return not_json(error);
    const bool is_member = depth_ == 1 && !member_.starts_with('/');
    record_.texts.push_back({begin, begin + length, text, is_member ? std::string(member_) : pointer_});
    return {};
  }

  /// The field is an object, or an array of them. The path that is suggested leads to a text.
  static tl::unexpected<Error> not_a_string(const FieldPath& path, ondemand::value& object, bool is_element) {
    std::string pointer;
    for (const std::string& step : path.steps()) append_step(pointer, step);
    if (is_element) append_step(pointer, kEveryElement);
    std::string problem = fmt::format("field '{}' is not a string but {}", path.text(),
                                      is_element ? "an array of objects" : "an object");
    if (append_text_path(object, pointer) && text::printable(pointer) == pointer)
      problem += fmt::format("; name a member of {}, such as '{}'", is_element ? "them" : "it", pointer);
    return json_problem(problem);
  }

  /// The value of a field that identifies the record, its subject, or both.
  Result<void> take_name(const PathMatch& first, const PathMatches& matches, ondemand::json_type type,
                         ondemand::value& value) {
    std::string name;
    if (type == ondemand::json_type::string) {
      std::string_view text;
      if (const auto error = value.get_string().get(text); error) return not_json(error);
      name = text;
    } else if (type == ondemand::json_type::number) {
      name = value.raw_json_token();
      name.erase(name.find_last_not_of(" \t\r\n") + 1);
      if (const auto error = value.get_double().error(); error) return not_json(error);
    } else {
      return json_problem(fmt::format("field '{}' is not a string or a number, so it cannot be the {}",
                                      first.path->text(), first.role == FieldRole::id ? "id" : "subject"));
    }
    for (const PathMatch& match : matches) {
      if (!match.is_complete()) return no_way_down(match, "is neither an object nor an array");
      (match.role == FieldRole::id ? record_.id : record_.subject) = name;
    }
    add_clear_field_here();
    return {};
  }

  void add_clear_field(std::string_view name) {
    if (depth_ == 0) {
      add_name(member_path(name));
      return;
    }
    const std::size_t size = pattern_.size();
    append_step(pattern_, name);
    add_name(pattern_);
    pattern_.resize(size);
  }
  void add_clear_field_here() { add_name(depth_ == 1 ? member_path(member_) : pattern_); }
  void add_name(const std::string& name) {
    if (!clear_fields_.contains(name)) clear_fields_.insert(name);
  }

  void add_gap(const PathMatch& match) {
    if (match.role != FieldRole::text) return;
    record_.is_incomplete = true;
    if (gaps_.empty()) gaps_.push_back({match.path, pointer_});
  }

  Result<void> check_complete() {
    if (layout_.missing == MissingField::error && !gaps_.empty())
      return json_problem(fmt::format("there is no field '{}'; {}", gaps_.front().path->text(),
                                      members_of(gaps_.front().at, gaps_.front().path->text())));
    for (const auto& [path, name, what] : {std::tuple(&layout_.id_path, &record_.id, "id"),
                                           std::tuple(&layout_.subject_path, &record_.subject, "subject")})
      if (*path && !*name)
        return json_problem(fmt::format("there is no {} field '{}'; {}", what, (*path)->text(),
                                        members_of("", (*path)->text())));
    if (record_.subject && record_.subject->empty())
      return json_problem(fmt::format("the subject field '{}' is empty", layout_.subject_field));
    return {};
  }

  /// What a message says about the object or array at `pointer`, where the last step of `wanted` is missing.
  std::string members_of(const std::string& pointer, std::string_view wanted) {
    const std::string where = pointer.empty() ? "the record" : fmt::format("'{}'", text::printable(pointer));
    ondemand::document document;
    ondemand::value value;
    ondemand::object object;
    if (parser_.iterate(padded()).get(document)) return {};
    const bool is_object = pointer.empty()
                               ? !document.get_object().get(object)
                               : !document.at_pointer(pointer).get(value) && !value.get_object().get(object);
    if (!is_object) return where + " is an array";
    std::vector<std::string> names;
    for (auto member : object) {
      std::string_view key;
      if (member.unescaped_key().get(key)) break;
      names.emplace_back(key);
    }
    if (names.empty()) return where + " has none";
    const std::string_view step = wanted.substr(wanted.rfind('/') + 1);
    return fmt::format("{} has {}{}", where, text::list_names(names), base::suggestion(step, names));
  }

  const RecordLayout& layout_;
  std::set<std::string>& clear_fields_;
  PathMatches all_;
  ondemand::parser parser_;
  std::string_view line_;
  JsonRecord record_;
  std::vector<Gap> gaps_;    // the first one
  std::string pointer_;      // of the current value
  std::string pattern_;      // the same with * for every index
  std::size_t depth_ = 0;    // its number of steps
  std::string_view member_;  // its first step
};

std::size_t json_padding() {
  return simdjson::SIMDJSON_PADDING;
}

JsonRecordParser::JsonRecordParser(const RecordLayout& layout, std::set<std::string>& clear_fields)
    : impl_(std::make_unique<Impl>(layout, clear_fields)) {}

JsonRecordParser::~JsonRecordParser() = default;

Result<JsonRecord> JsonRecordParser::parse(std::string_view record) {
  return impl_->parse(record);
}

}  // namespace sotto::pipeline
