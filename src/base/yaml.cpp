#include "base/yaml.hpp"

#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

namespace sotto::base {
namespace {

constexpr int kDeepestYaml = 64;

/// Sees every event of a document before a tree is built.
class Limits final : public YAML::EventHandler {
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

}  // namespace

Result<YAML::Node> parse_yaml(const std::string& text, std::string_view name) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Limits limits;
    if (parser.HandleNextDocument(limits) && parser.HandleNextDocument(limits))
      return fail(Errc::invalid_argument, fmt::format("{}: holds more than one document", name));
    return YAML::Load(text);
  } catch (const YAML::Exception& error) {
    return fail(Errc::invalid_argument, fmt::format("{}: line {}: {}", name, error.mark.line + 1, error.msg));
  }
}

}  // namespace sotto::base
