#include "pipeline/whole_receipt.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <sotto/terminal_text.hpp>
#include <sotto/version.hpp>

#include "base/json.hpp"
#include "pipeline/receipt_facts.hpp"
#include "privacy/rounding.hpp"

namespace sotto::pipeline {
namespace {

using ReceiptJson = nlohmann::json;

constexpr std::size_t kLongestShownValue = 200;

/// The members of a receipt. What is missing, or of another type, reads as empty: a receipt that is written
/// again from it then differs, and is refused for that.
class WholeMembers {
 public:
  explicit WholeMembers(const ReceiptJson& json) : json_(json) {}

  const ReceiptJson* find(const char* path) const {
    const ReceiptJson::json_pointer pointer(path);
    return json_.contains(pointer) ? &json_.at(pointer) : nullptr;
  }
  bool has(const char* path) const { return find(path) != nullptr; }
  std::string text(const char* path) const {
    const ReceiptJson* const value = find(path);
    return value != nullptr && value->is_string() ? value->get<std::string>() : "";
  }
  double number(const char* path) const {
    const ReceiptJson* const value = find(path);
    return value != nullptr && value->is_number() ? value->get<double>() : 0;
  }
  std::uint64_t count(const char* path) const {
    const ReceiptJson* const value = find(path);
    return value != nullptr && value->is_number_unsigned() ? value->get<std::uint64_t>() : 0;
  }
  bool flag(const char* path) const {
    const ReceiptJson* const value = find(path);
    return value != nullptr && value->is_boolean() && value->get<bool>();
  }
  std::vector<std::string> texts(const char* path) const {
    std::vector<std::string> texts;
    if (const ReceiptJson* const list = find(path); list != nullptr && list->is_array())
      for (const ReceiptJson& item : *list)
        if (item.is_string()) texts.push_back(item.get<std::string>());
    return texts;
  }
  std::vector<double> numbers(const char* path) const {
    std::vector<double> numbers;
    if (const ReceiptJson* const list = find(path); list != nullptr && list->is_array())
      for (const ReceiptJson& item : *list)
        if (item.is_number()) numbers.push_back(item.get<double>());
    return numbers;
  }
  /// Sets `value` to the enumerator up to `last` that is spelled like this.
  template <class Enum>
  static void choose(const std::string& spelling, Enum last, Enum& value) {
    for (int i = 0; i <= static_cast<int>(last); ++i)
      if (spelling == to_string(static_cast<Enum>(i))) value = static_cast<Enum>(i);
  }

 private:
  const ReceiptJson& json_;
};

/// The ρ of one draw, from that of the longest text: a number that times the draws, rounded up, gives it.
double rho_of_draw(double rho_max, std::uint64_t draws) {
  if (draws == 0) return 0;
  const auto count = static_cast<double>(draws);
  const double near = rho_max / count;
  for (const double rho : {near, std::nextafter(near, 0.0), privacy::round_up(near)})
    if (privacy::multiply_up(count, rho) == rho_max) return rho;
  return near;
}

void read_guarantee(const WholeMembers& members, Receipt& receipt) {
  Guarantee& guarantee = receipt.guarantee;
  guarantee.statement = members.text("/guarantee/statement");
  if (!members.flag("/guarantee/holds")) return;
  WholeMembers::choose(members.text("/guarantee/kind"), GuaranteeKind::none, guarantee.kind);
  WholeMembers::choose(members.text("/guarantee/scope"), GuaranteeScope::privatized_words, guarantee.scope);
  guarantee.unit = {members.text("/guarantee/unit/metric"), members.text("/guarantee/unit/model_digest")};
  for (const std::string& name : members.texts("/guarantee/adjacency")) {
    SharedTrait& trait = guarantee.adjacency.emplace_back();
    WholeMembers::choose(name, SharedTrait::letter_case, trait);
  }
  guarantee.assumptions = members.texts("/guarantee/assumptions");
  guarantee.epsilon = members.number("/guarantee/epsilon_per_token");
  guarantee.additive = members.number("/guarantee/additive_per_token");
  if (members.has("/guarantee/certificate"))
    receipt.certificate = {members.number("/guarantee/certificate/epsilon"),
                           members.number("/guarantee/certificate/attained_epsilon"),
                           members.text("/guarantee/certificate/sha256")};
  if (members.has("/guarantee/document/zcdp"))
    guarantee.rho = rho_of_draw(members.number("/guarantee/document/zcdp/rho_max"),
                                members.count("/counts/largest_document"));
}

void read_language_model(const WholeMembers& members, Receipt& receipt) {
  if (!members.has("/language_model")) return;
  LanguageModelReceipt& model = receipt.language_model.emplace();
  model.device = members.text("/language_model/device");
  model.precision = members.text("/language_model/precision");
  model.law = members.text("/language_model/law");
  model.mode = members.text("/language_model/mode");
  if (members.has("/language_model/wander")) model.wander = members.number("/language_model/wander");
  model.lowest_logit = members.number("/language_model/logits/lowest");
  model.highest_logit = members.number("/language_model/logits/highest");
  model.bounded_by_architecture = members.text("/language_model/logits/bounded_by") == "architecture";
  model.calibration_text = members.text("/language_model/calibration_text_sha256");
  model.outcomes = members.count("/language_model/outcomes");
  model.delta = members.number("/guarantee/document/zcdp/delta");
  model.same_everywhere = members.text("/language_model/reproducible").starts_with("on every processor");
}

/// A receipt shows records only if one holds several documents; otherwise the maxima are those of documents.
void read_shown_counts(const WholeMembers& members, Receipt& receipt) {
  Counts& counts = receipt.counts;
  for (const ShownCount& shown : shown_counts()) counts.*shown.member = members.count(shown.path);
  if (!members.has("/counts/largest_record")) counts.largest_record = counts.largest_document;
  if (!receipt.budget) return;
  counts.epsilon_sum = members.number("/budget/epsilon_sum");
  counts.smallest_share = members.number("/budget/epsilon_per_token/smallest");
  counts.largest_share = members.number("/budget/epsilon_per_token/largest");
  counts.largest_epsilon = members.number("/guarantee/document/epsilon_sum_max");
  counts.largest_record_epsilon = members.has("/guarantee/record")
                                      ? members.number("/guarantee/record/epsilon_sum_max")
                                      : counts.largest_epsilon;
}

void read_policy_and_input(const WholeMembers& members, Receipt& receipt) {
  for (const char* const part : {"stopwords", "oov", "numbers", "punctuation", "case", "articles"})
    (void)set_policy_part(receipt.policy, part, members.text(fmt::format("/policy/{}", part).c_str()));
  receipt.dataset = members.text("/input/dataset");
  receipt.format = members.text("/input/format");
  receipt.delimiter = members.text("/input/delimiter");
  receipt.fields = members.texts("/input/fields");
}

void read_parts(const WholeMembers& members, Receipt& receipt) {
  if (members.has("/budget"))
    receipt.budget = {members.text("/budget/strategy"), members.number("/budget/document_epsilon"),
                      members.numbers("/budget/profile")};
  if (members.has("/collocations"))
    receipt.collocations = {members.text("/collocations/method"),
                            members.text("/collocations/phrases_digest"),
                            members.count("/collocations/phrases")};
  if (members.has("/ledger"))
    receipt.ledger = {.id = members.text("/ledger/id"),
                      .subject_field = members.text("/ledger/subject_field"),
                      .unit = members.text("/ledger/unit"),
                      .limit = members.number("/ledger/limit"),
                      .head = members.text("/ledger/head"),
                      .other_heads = members.texts("/ledger/other_heads")};
  receipt.word_map_digest = members.text("/word_map/digest");
  receipt.word_forms_digest = members.text("/word_forms/digest");
}

/// The fields that a sentence among the leaks names, or stands for without naming them. Those get names that
/// sort after all others and are never shown.
void read_clear_field(std::string_view leak, std::set<std::string>& fields) {
  constexpr std::string_view kBegin = "the field '";
  constexpr std::string_view kEnd = "' of each record, copied as it is";
  constexpr std::string_view kMore = " more fields of each record, copied as they are";
  if (leak.starts_with(kBegin) && leak.ends_with(kEnd) && leak.size() >= kBegin.size() + kEnd.size()) {
    leak.remove_prefix(kBegin.size());
    leak.remove_suffix(kEnd.size());
    fields.emplace(leak);
  } else if (leak.ends_with(kMore)) {
    std::uint64_t more = 0;
    const std::size_t digits = leak.size() - kMore.size();
    if (digits > 4) return;  // no run notes that many
    for (const char c : leak.substr(0, digits)) more = 10 * more + static_cast<std::uint64_t>(c - '0');
    for (std::uint64_t i = 0; i < more % 10'000; ++i) fields.insert(fmt::format("\xFF{:04}", i));
  }
}

/// What a receipt does not state but its leaks tell: copied fields, whether there was a key file and, where
/// nothing is promised, the scope.
void read_leaks(const ReceiptJson& json, Receipt& receipt) {
  for (const std::string& leak : WholeMembers(json).texts("/leaks"))
    read_clear_field(leak, receipt.clear_fields);
  const GuaranteeScope stated = receipt.guarantee.scope;
  for (const GuaranteeScope scope :
       {stated, GuaranteeScope::group, GuaranteeScope::sensitive_outputs, GuaranteeScope::all_inputs})
    for (const bool keyed : {false, true}) {
      receipt.guarantee.scope = scope;
      receipt.keyed = keyed;
      // As text and back, because names of fields need not be UTF-8.
      if (base::parse_json(base::json_line(what_leaks(receipt))) == json.value("leaks", ReceiptJson()))
        return;
    }
  receipt.guarantee.scope = stated;
}

Result<void> check_program(const ReceiptJson& json) {
  const std::string program = WholeMembers(json).text("/sotto");
  if (program == kVersion) return {};
  return fail(Errc::bad_format,
              fmt::format("written by Sotto {}, and this is {}; merge receipts with the program that wrote "
                          "them",
                          visible_text(program), kVersion));
}

std::string shown_value(const ReceiptJson& json, const ReceiptJson::json_pointer& path) {
  if (!json.contains(path)) return "nothing";
  std::string text = json.at(path).dump(-1, ' ', true, ReceiptJson::error_handler_t::replace);
  if (text.size() > kLongestShownValue) text = text.substr(0, kLongestShownValue) + "...";
  return visible_text(text);
}

/// How little the member that a change is about tells people: what follows from others comes after them.
int obscurity(const ReceiptJson& change) {
  const std::string& path = change.at("path").get_ref<const std::string&>();
  if (path == "/configuration_sha256") return 3;
  return path.starts_with("/leaks") ? 2 : path.starts_with("/guarantee") ? 1 : 0;
}

}  // namespace

std::span<const ShownCount> shown_counts() {
  static constexpr ShownCount kCounts[] = {
      {"/counts/documents", &Counts::documents},
      {"/counts/privatized", &Counts::privatized},
      {"/counts/largest_document", &Counts::largest_document},
      {"/counts/largest_record", &Counts::largest_record},
      {"/counts/withheld", &Counts::withheld},
      {"/counts/repeated", &Counts::repeated},
      {"/counts/skipped", &Counts::skipped},
      {"/counts/tokens/word", &Counts::words},
      {"/counts/tokens/number", &Counts::numbers},
      {"/counts/tokens/punctuation", &Counts::punctuation},
      {"/counts/randomized_numbers", &Counts::randomized_numbers},
      {"/counts/passed_in_clear/stopwords", &Counts::clear_stopwords},
      {"/counts/passed_in_clear/out_of_vocabulary", &Counts::clear_oov},
      {"/counts/passed_in_clear/numbers", &Counts::clear_numbers},
      {"/counts/passed_in_clear/punctuation", &Counts::clear_punctuation},
      {"/counts/dropped", &Counts::dropped}};
  return kCounts;
}

std::string member_name(std::string_view path) {
  std::string name(path.substr(path.starts_with('/') ? 1 : 0));
  std::replace(name.begin(), name.end(), '/', '.');
  return visible_text(name);
}

std::string difference_between(const nlohmann::json& a, const nlohmann::json& b) {
  const nlohmann::json changes = nlohmann::json::diff(a, b);
  if (changes.empty()) return {};
  const auto first = std::min_element(changes.begin(), changes.end(), [](const auto& x, const auto& y) {
    return obscurity(x) < obscurity(y);
  });
  const nlohmann::json::json_pointer path(first->at("path").get_ref<const std::string&>());
  return fmt::format("'{}' is {} and {}", member_name(path.to_string()), shown_value(a, path),
                     shown_value(b, path));
}

Result<Receipt> read_whole_receipt(std::string_view text) {
  SOTTO_TRY(read_receipt(text));
  const auto json = base::parse_json(text);
  SOTTO_TRY(check_program(json));
  const WholeMembers members(json);
  Receipt receipt;
  receipt.mechanism = members.text("/mechanism/name");
  const auto info = find_mechanism(receipt.mechanism);
  if (!info) return unsound(fmt::format("there is no mechanism '{}'", visible_text(receipt.mechanism)));
  receipt.kind = (*info)->kind;
  receipt.epsilon = members.number("/mechanism/epsilon");
  if (const auto* const parameters = members.find("/mechanism/parameters"))
    receipt.parameters = parameters->get<ParameterValues>();
  if (const auto basis = parse_epsilon_basis(members.text("/epsilon_chosen_on")))
    receipt.epsilon_chosen_on = *basis;
  receipt.model = members.text("/model/name");
  receipt.model_digest = members.text("/model/digest");
  receipt.seeded = members.flag("/seeded");
  receipt.configuration_digest = members.text("/configuration_sha256");
  read_policy_and_input(members, receipt);
  read_parts(members, receipt);
  read_language_model(members, receipt);
  read_guarantee(members, receipt);
  read_shown_counts(members, receipt);
  read_leaks(json, receipt);
  auto again = base::parse_json(to_json(receipt));
  // Its logarithms may round differently elsewhere; read_receipt() has compared it with ρ.
  const nlohmann::json::json_pointer rounded("/guarantee/document/zcdp/epsilon_max");
  if (json.contains(rounded) && again.contains(rounded)) again[rounded] = json.at(rounded);
  if (const std::string difference = difference_between(json, again); !difference.empty())
    return unsound(
        fmt::format("it states what does not follow from the rest of it: {} (as it follows)", difference));
  return receipt;
}

}  // namespace sotto::pipeline
