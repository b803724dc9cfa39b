#include "config/yaml_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/eventhandler.h>

#include <sotto/error_text.hpp>
#include <sotto/terminal_text.hpp>
#include <sotto/text_values.hpp>

namespace sotto::server {
namespace {

constexpr int kDeepestYaml = 16;
constexpr std::size_t kLargestFile = std::size_t{16} << 20;

/// Sees every event of a document before a tree is built.
class YamlLimits final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw YAML::ParserException(mark, "aliases are not allowed; write the value out");
  }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    go_deeper(mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    go_deeper(mark);
  }
  void OnMapEnd() override { --depth_; }

 private:
  void go_deeper(const YAML::Mark& mark) {
    if (++depth_ > kDeepestYaml)
      throw YAML::ParserException(mark, fmt::format("nests deeper than {} levels", kDeepestYaml));
  }

  int depth_ = 0;
};

Result<void> read_descriptor(int descriptor, std::string_view name, std::string& text) {
  std::array<char, 1 << 14> part;
  while (true) {
    const ssize_t got = ::read(descriptor, part.data(), part.size());
    if (got == 0) return {};
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(Errc::io, fmt::format("cannot read {}: {}", name, std::strerror(errno)));
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > kLargestFile)
      return fail(Errc::invalid_argument, fmt::format("{}: larger than {} bytes", name, kLargestFile));
  }
}

}  // namespace

Result<std::string> read_small_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return fail(errno == ENOENT ? Errc::not_found : Errc::io,
                fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  std::string text;
  struct stat status {};
  Result<void> outcome;
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    outcome = fail(Errc::invalid_argument, fmt::format("{}: not a regular file", name));
  else
    outcome = read_descriptor(descriptor, name, text);
  ::close(descriptor);
  SOTTO_TRY(std::move(outcome));
  return text;
}

Result<YamlFile> YamlFile::parse(const std::string& text, std::string name) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    YamlLimits limits;
    if (parser.HandleNextDocument(limits) && parser.HandleNextDocument(limits))
      return fail(Errc::invalid_argument, fmt::format("{}: holds more than one document", name));
    return YamlFile(YAML::Load(text), std::move(name));
  } catch (const YAML::Exception& error) {
    return fail(Errc::invalid_argument,
                fmt::format("{}: line {}: {}", name, error.mark.line + 1, visible_text(error.msg)));
  }
}

Result<void> YamlFile::each_member(const std::string& what, const YAML::Node& map, const Take& take) const {
  if (!map.IsMap())
    return refuse(map, fmt::format("{} is not a map; give lines of the form 'name: value'", what));
  std::set<std::string> seen;
  for (const auto& item : map) {
    if (!item.first.IsScalar()) return refuse(item.first, fmt::format("a name in {} is not a word", what));
    const std::string& name = item.first.Scalar();
    if (!seen.insert(name).second)
      return refuse(item.first, fmt::format("'{}' is given twice", visible_text(name)));
    SOTTO_TRY(take(name, item.second));
  }
  return {};
}

Result<void> YamlFile::each_item(const std::string& what, const YAML::Node& list, const Take& take) const {
  if (list.IsScalar()) return take(what, list);
  if (!list.IsSequence()) return refuse(list, fmt::format("{} is not a list", what));
  for (const YAML::Node& item : list) SOTTO_TRY(take(what, item));
  return {};
}

Result<std::string> YamlFile::text_of(const std::string& what, const YAML::Node& value) const {
  if (value.IsScalar() && !value.Scalar().empty()) return value.Scalar();
  return refuse(value, fmt::format("{} has no usable value; give a single one", what));
}

Result<bool> YamlFile::flag_of(const std::string& what, const YAML::Node& value) const {
  SOTTO_ASSIGN(const std::string text, text_of(what, value));
  const auto choice = read_choice(what, text, {"false", "true"});
  if (!choice) return at(value, choice.error());
  return *choice == 1;
}

tl::unexpected<Error> YamlFile::refuse(const YAML::Node& node, std::string_view problem) const {
  return fail(Errc::invalid_argument,
              fmt::format("{}: line {}: {}", name_, node.Mark().line + 1, visible_text(problem)));
}

tl::unexpected<Error> YamlFile::no_such(const YAML::Node& node, std::string_view what,
                                        const std::vector<std::string>& allowed) const {
  const std::string guess = closest_name(what, allowed);
  return refuse(node, fmt::format("there is no '{}'{}; allowed are {}", visible_text(what),
                                  guess.empty() ? "" : fmt::format(" (did you mean '{}'?)", guess),
                                  fmt::join(allowed, ", ")));
}

tl::unexpected<Error> YamlFile::at(const YAML::Node& node, const Error& error) const {
  return refuse(node, describe(error));
}

}  // namespace sotto::server
