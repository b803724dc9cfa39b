// Reads receipts, which may come from anywhere: every member is checked before it is used.
#include <cmath>

#include <fmt/format.h>

#include <sotto/terminal_text.hpp>

#include "base/json.hpp"
#include "pipeline/receipt_facts.hpp"
#include "pipeline/receipt_version.hpp"

namespace sotto::pipeline {
namespace {

// A page is for people: longer texts and lists are cut.
constexpr std::size_t kLongestText = 1000;
constexpr std::size_t kLongestList = 100;

std::string shown(std::string_view text) {
  if (text.size() <= kLongestText) return visible_text(text);
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // inside a character
  return visible_text(text.substr(0, end)) + "…";
}

/// Reads members of an object. The first problem stays, and everything after it reads as empty.
class MemberReader {
 public:
  explicit MemberReader(const nlohmann::json& json) : json_(json) {}

  bool has(std::string_view path) const { return find(path) != nullptr; }

  void text(std::string_view path, std::string& out) {
    if (const auto* value = expect(path, "a text", &nlohmann::json::is_string))
      out = shown(value->get_ref<const std::string&>());
  }
  void whole_text(std::string_view path, std::string& out) {
    if (const auto* value = expect(path, "a text", &nlohmann::json::is_string))
      out = value->get_ref<const std::string&>();
  }
  void flag(std::string_view path, bool& out) {
    if (const auto* value = expect(path, "true or false", &nlohmann::json::is_boolean))
      out = value->get<bool>();
  }
  void count(std::string_view path, std::uint64_t& out) {
    if (const auto* value = expect(path, "a count", &nlohmann::json::is_number_unsigned))
      out = value->get<std::uint64_t>();
    if (out > kLargestCount) note(fmt::format("'{}' is more than a run can count", path));
  }
  void number(std::string_view path, double& out) {
    const auto* value = expect(path, "a number", &nlohmann::json::is_number);
    if (value == nullptr) return;
    out = value->get<double>();
    if (!std::isfinite(out) || out < 0) note(fmt::format("'{}' is not a number from 0", path));
  }
  void texts(std::string_view path, std::vector<std::string>& out) {
    const auto* value = expect(path, "a list of texts", &nlohmann::json::is_array);
    if (value == nullptr) return;
    for (const nlohmann::json& item : *value) {
      if (!item.is_string()) return note(fmt::format("'{}' is not a list of texts", path));
      if (out.size() < kLongestList) out.push_back(shown(item.get_ref<const std::string&>()));
    }
    if (value->size() > kLongestList) out.push_back(fmt::format("and {} more", value->size() - kLongestList));
  }
  void pairs(std::string_view path, std::vector<std::pair<std::string, std::string>>& out) {
    const auto* value = expect(path, "a list of parameters", &nlohmann::json::is_object);
    if (value == nullptr) return;
    for (const auto& [name, setting] : value->items()) {
      if (!setting.is_string()) return note(fmt::format("'{}' is not a list of parameters", path));
      if (out.size() < kLongestList)
        out.emplace_back(shown(name), shown(setting.get_ref<const std::string&>()));
    }
  }

  void note(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  Result<void> result() const {
    if (!problem_.empty()) return unsound(problem_);
    return {};
  }

 private:
  /// The member at a path such as "guarantee.unit", or null.
  const nlohmann::json* find(std::string_view path) const {
    const nlohmann::json* value = &json_;
    while (true) {
      const std::size_t dot = path.find('.');
      if (!value->is_object()) return nullptr;
      const auto found = value->find(std::string(path.substr(0, dot)));
      if (found == value->end()) return nullptr;
      value = &*found;
      if (dot == std::string_view::npos) return value;
      path.remove_prefix(dot + 1);
    }
  }

  const nlohmann::json* expect(std::string_view path, std::string_view what,
                               bool (nlohmann::json::*is)() const noexcept) {
    const nlohmann::json* value = find(path);
    if (value == nullptr)
      note(fmt::format("'{}' is missing", path));
    else if (!(value->*is)())
      note(fmt::format("'{}' is not {}", path, what));
    return problem_.empty() ? value : nullptr;
  }

  const nlohmann::json& json_;
  std::string problem_;
};

/// Whether this is a receipt at all, and one whose form is known.
Result<void> check_version(const nlohmann::json& json) {
  if (json.is_discarded())
    return fail(Errc::bad_format, "not a receipt: it is not JSON, or the end is missing");
  MemberReader members(json);
  if (members.has("versions.statistics"))
    return fail(Errc::bad_format, "these are the confidential statistics of a run, not its receipt");
  if (!members.has("sotto") || !members.has("versions.receipt"))
    return fail(Errc::bad_format, "not a receipt: it does not say which version of a receipt it is");
  std::string program;
  std::uint64_t version = 0;
  members.text("sotto", program);
  members.count("versions.receipt", version);
  SOTTO_TRY(members.result());
  if (version > kReceiptVersion)
    return fail(
        Errc::bad_format,
        fmt::format("a receipt of version {}, written by a later Sotto ({}); this one knows versions up "
                    "to {}",
                    version, program, kReceiptVersion));
  return {};
}

void read_document_sums(MemberReader& members, ReceiptFacts::Promise& promise) {
  members.number("guarantee.document.epsilon_sum_max", promise.document_max);
  members.number("guarantee.document.epsilon_sum_mean", promise.document_mean);
  if (members.has("guarantee.document.additive_sum_max"))
    members.number("guarantee.document.additive_sum_max", promise.document_additive);
  if (members.has("guarantee.document.zcdp")) {
    auto& concentrated = promise.concentrated.emplace();
    members.number("guarantee.document.zcdp.rho_max", concentrated.rho);
    members.number("guarantee.document.zcdp.delta", concentrated.delta);
    members.number("guarantee.document.zcdp.epsilon_max", concentrated.epsilon);
  }
  if (members.has("guarantee.record"))
    members.number("guarantee.record.epsilon_sum_max", promise.record_max.emplace());
}

void read_promise(MemberReader& members, ReceiptFacts::Promise& promise) {
  members.flag("guarantee.holds", promise.holds);
  members.text("guarantee.kind", promise.kind);
  members.text("guarantee.statement", promise.statement);
  members.whole_text("guarantee.statement", promise.whole_statement);
  if (!promise.holds) return;
  members.text("guarantee.unit.metric", promise.metric);
  members.text("guarantee.scope", promise.scope);
  members.texts("guarantee.adjacency", promise.adjacency);
  members.texts("guarantee.assumptions", promise.assumptions);
  members.number("guarantee.epsilon_per_token", promise.epsilon);
  if (members.has("guarantee.additive_per_token"))
    members.number("guarantee.additive_per_token", promise.additive);
  if (members.has("guarantee.certificate")) {
    auto& certificate = promise.certificate.emplace();
    members.number("guarantee.certificate.epsilon", certificate.epsilon);
    members.number("guarantee.certificate.attained_epsilon", certificate.attained);
    members.number("guarantee.certificate.nominal_epsilon", certificate.nominal);
    members.text("guarantee.certificate.sha256", certificate.sha256);
  }
  read_document_sums(members, promise);
}

void read_policy(MemberReader& members, Policy& policy) {
  for (const char* const part : {"stopwords", "oov", "numbers", "punctuation", "case"}) {
    const std::string path = fmt::format("policy.{}", part);
    std::string value;
    members.text(path, value);
    if (!set_policy_part(policy, part, value))
      members.note(fmt::format("'{}' is not a policy of this kind", path));
  }
}

void read_budget(MemberReader& members, ReceiptFacts::Budget& budget) {
  members.number("budget.document_epsilon", budget.document_epsilon);
  members.number("budget.epsilon_per_token.smallest", budget.smallest);
  members.number("budget.epsilon_per_token.largest", budget.largest);
  members.number("budget.epsilon_per_token.mean", budget.mean);
}

void read_token_counts(MemberReader& members, ReceiptFacts::CountsShown& counts) {
  members.count("counts.tokens.word", counts.words);
  members.count("counts.tokens.number", counts.numbers);
  members.count("counts.tokens.punctuation", counts.punctuation);
  members.count("counts.randomized_numbers", counts.randomized_numbers);
  members.count("counts.passed_in_clear.stopwords", counts.clear_stopwords);
  members.count("counts.passed_in_clear.out_of_vocabulary", counts.clear_oov);
  members.count("counts.passed_in_clear.numbers", counts.clear_numbers);
  members.count("counts.passed_in_clear.punctuation", counts.clear_punctuation);
  members.count("counts.dropped", counts.dropped);
}

void read_counts(MemberReader& members, bool language_model, ReceiptFacts::CountsShown& counts) {
  members.count("counts.documents", counts.documents);
  members.count("counts.privatized", counts.privatized);
  members.count("counts.largest_document", counts.largest_document);
  members.count("counts.withheld", counts.withheld);
  if (members.has("counts.repeated")) members.count("counts.repeated", counts.repeated);
  // A text written anew by a language model does not show them.
  counts.has_tokens = !language_model || members.has("counts.tokens");
  if (counts.has_tokens) read_token_counts(members, counts);
}

void read_language_model(MemberReader& members, ReceiptFacts& facts) {
  if (members.has("language_model.mode")) members.text("language_model.mode", facts.mode);
  if (members.has("language_model.wander")) members.number("language_model.wander", facts.wander.emplace());
}

void read_run(MemberReader& members, ReceiptFacts& facts) {
  members.text("sotto", facts.program);
  members.flag("seeded", facts.seeded);
  members.text("mechanism.name", facts.mechanism);
  members.number("mechanism.epsilon", facts.epsilon);
  members.pairs("mechanism.parameters", facts.parameters);
  members.text("model.name", facts.model);
  members.text("model.digest", facts.model_digest);
  facts.language_model = members.has("language_model");
  if (facts.language_model) read_language_model(members, facts);
  if (members.has("budget")) read_budget(members, facts.budget.emplace());
  read_policy(members, facts.policy);
  if (members.has("collocations")) members.text("collocations.method", facts.collocations);
  members.text("input.dataset", facts.dataset);
  members.text("input.format", facts.format);
  members.texts("input.fields", facts.fields);
  members.text("configuration_sha256", facts.configuration);
  members.texts("leaks", facts.leaks);
  if (!members.has("ledger")) return;
  auto& ledger = facts.ledger.emplace();
  members.text("ledger.id", ledger.id);
  members.text("ledger.subject_field", ledger.subject_field);
  members.text("ledger.unit", ledger.unit);
  members.number("ledger.limit", ledger.limit);
  members.text("ledger.head", ledger.head);
}

}  // namespace

tl::unexpected<Error> unsound(std::string_view problem) {
  return fail(Errc::bad_format, fmt::format("not a sound receipt: {}", problem));
}

Result<ReceiptFacts> read_receipt(std::string_view text) {
  const auto json = base::parse_json(text);
  SOTTO_TRY(check_version(json));
  ReceiptFacts facts;
  MemberReader members(json);
  read_run(members, facts);
  read_promise(members, facts.promise);
  read_counts(members, facts.language_model, facts.counts);
  SOTTO_TRY(members.result());
  SOTTO_TRY(check_agreement(facts));
  return facts;
}

}  // namespace sotto::pipeline
