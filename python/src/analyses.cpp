#include "analyses.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <sotto/sotto.hpp>

#include "errors.hpp"
#include "interruptible.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// Runs `function`, which owns all it uses, on `options`, whose progress it reports if they have a way.
template <class Options, class Function>
std::string run_analysis(Options options, nb::handle progress, Function function,
                         Unstoppable unstoppable = Unstoppable::abandon) {
  const auto state = std::make_shared<CallState>();
  if constexpr (requires { options.progress; }) options.progress = CallState::callback(state);
  const auto work = [options = std::move(options), function = std::move(function)]() -> Result<std::string> {
    SOTTO_ASSIGN(const auto report, function(options));
    return to_json(report);
  };
  return take(run_interruptibly(state, progress, work, unstoppable));
}

std::string explain_word(const std::string& word, const std::string& options) {
  return run_analysis(take(explain_options_from_json(options)), nb::none(),
                      [word](const ExplainOptions& read) { return explain(word, read); });
}

std::string explain_place(const std::string& place, const std::string& options) {
  const TextPlace read_place = take(text_place_from_json(place));
  return run_analysis(take(explain_options_from_json(options)), nb::none(),
                      [read_place](const ExplainOptions& read) { return explain(read_place, read); });
}

std::string compare_two_words(const std::string& first, const std::string& second,
                              const std::string& options) {
  return run_analysis(take(compare_options_from_json(options)), nb::none(),
                      [=](const CompareOptions& read) { return compare_words(first, second, read); });
}

std::string compare_place(const std::string& place, const std::string& second, const std::string& options) {
  const TextPlace read_place = take(text_place_from_json(place));
  return run_analysis(take(compare_options_from_json(options)), nb::none(),
                      [=](const CompareOptions& read) { return compare_words(read_place, second, read); });
}

std::string audit_exactly(const std::string& options, nb::handle progress) {
  ExactAuditOptions read = take(exact_audit_options_from_json(options));
  const auto state = std::make_shared<CallState>();
  read.certify.progress = CallState::callback(state);
  return take(run_interruptibly(state, progress, [read = std::move(read)]() -> Result<std::string> {
    SOTTO_ASSIGN(const ExactAudit audit, audit_exact(read));
    return to_json(audit);
  }));
}

std::string audit_as_black_box(const std::string& options, nb::handle progress) {
  return run_analysis(take(black_box_options_from_json(options)), progress,
                      [](const BlackBoxOptions& read) { return audit_black_box(read); });
}

std::string attack_words(const std::string& options, nb::handle progress) {
  return run_analysis(take(attack_options_from_json(options)), progress,
                      [](const AttackOptions& read) { return attack(read); });
}

std::string attack_texts(const std::vector<std::string>& original, const std::vector<std::string>& privatized,
                         const std::string& options, nb::handle progress) {
  return run_analysis(
      take(mask_inference_options_from_json(options)), progress,
      [=](const MaskInferenceOptions& read) { return infer_masked_words(original, privatized, read); });
}

std::string plan_document_budget(const std::string& options) {
  return run_analysis(take(budget_plan_options_from_json(options)), nb::none(),
                      [](const BudgetPlanOptions& read) { return plan_budget(read); });
}

std::string tune_mechanisms(const std::string& options, nb::handle progress) {
  return run_analysis(take(tune_options_from_json(options)), progress,
                      [](const TuneOptions& read) { return tune(read); });
}

std::string choose_mechanism(const std::string& options, nb::handle progress) {
  return run_analysis(take(choose_options_from_json(options)), progress,
                      [](const ChooseOptions& read) { return choose(read); });
}

std::string evaluate_run(const std::string& options, nb::handle progress) {
  return run_analysis(
      take(experiment_options_from_json(options)), progress,
      [](const ExperimentOptions& read) { return run_experiment(read); }, Unstoppable::wait);
}

std::string measure_similarity(const std::vector<std::string>& first, const std::vector<std::string>& second,
                               const std::string& model) {
  if (first.size() != second.size())
    raise_value_error("first and second differ in length; give pairs of texts");
  const auto state = std::make_shared<CallState>();
  LanguageModelResources resources;
  resources.go_on = CallState::go_on(state);
  return take(run_interruptibly(state, nb::none(), [=]() -> Result<std::string> {
    SOTTO_ASSIGN(std::vector<double> cosines, text_similarities(first, second, model, resources));
    return to_json(SimilarityReport{model, std::move(cosines)});
  }));
}

std::string measure_perplexity(const std::vector<std::string>& texts, const std::string& model) {
  const auto state = std::make_shared<CallState>();
  LanguageModelResources resources;
  resources.go_on = CallState::go_on(state);
  return take(run_interruptibly(state, nb::none(), [=]() -> Result<std::string> {
    SOTTO_ASSIGN(std::vector<TextScore> scores, text_scores(texts, model, resources));
    return to_json(PerplexityReport{model, std::move(scores)});
  }));
}

std::string models_json() {
  const RunningCall running;
  const nb::gil_scoped_release unlocked;
  std::vector<std::shared_ptr<const Model>> models;
  for (const std::filesystem::path& file : list_models())
    if (auto model = Model::open(file)) models.push_back(std::move(*model));
  return to_json(models, list_language_models());
}

std::string mechanisms_json() {
  return to_json(std::span<const MechanismInfo>(mechanisms()));
}

std::string receipt_description(const std::string& json) {
  return to_json(take(describe_receipt(json)));
}

std::string merged_receipts(const std::vector<std::string>& receipts) {
  return take(merge_receipts(receipts));
}

std::vector<std::string> tokens(std::string_view text) {
  std::vector<Token> found;
  tokenize(text, found);
  std::vector<std::string> texts;
  for (const Token& token : found) texts.emplace_back(text.substr(token.begin, token.end - token.begin));
  return texts;
}

std::string privatize_all_files(const std::string& options, std::optional<nb::bytes> key,
                                const std::string& files, nb::handle progress) {
  PrivatizeOptions read = take(privatize_options_from_json(options));
  if (key) read.key = take(SecretKey::make({key->c_str(), key->size()}));
  FileOptions file_options = take(file_options_from_json(files));
  read.mechanism.resources.threads = read.language.threads = file_options.threads;
  const auto state = std::make_shared<CallState>();
  read.language.go_on = CallState::go_on(state);
  file_options.progress = CallState::callback(state);
  return take(run_interruptibly(state, progress, [&]() -> Result<std::string> {
    SOTTO_ASSIGN(const Receipt receipt, privatize_files(read, file_options));
    return to_json(receipt);
  }));
}

}  // namespace

void define_analyses(nb::module_& module) {
  const auto no_progress = nb::arg("progress").none() = nb::none();
  module.def("privatize_files", privatize_all_files, nb::arg("options"), nb::arg("key").none(),
             nb::arg("files"), no_progress);
  module.def("explain_word", explain_word, nb::arg("word"), nb::arg("options"));
  module.def("explain_place", explain_place, nb::arg("place"), nb::arg("options"));
  module.def("compare_words", compare_two_words, nb::arg("first"), nb::arg("second"), nb::arg("options"));
  module.def("compare_place", compare_place, nb::arg("place"), nb::arg("second"), nb::arg("options"));
  module.def("audit_exact", audit_exactly, nb::arg("options"), no_progress);
  module.def("audit_black_box", audit_as_black_box, nb::arg("options"), no_progress);
  module.def("attack", attack_words, nb::arg("options"), no_progress);
  module.def("infer_masked_words", attack_texts, nb::arg("original"), nb::arg("privatized"),
             nb::arg("options"), no_progress);
  module.def("plan_budget", plan_document_budget, nb::arg("options"));
  module.def("tune", tune_mechanisms, nb::arg("options"), no_progress);
  module.def("choose", choose_mechanism, nb::arg("options"), no_progress);
  module.def("evaluate", evaluate_run, nb::arg("options"), no_progress);
  module.def("similarity", measure_similarity, nb::arg("first"), nb::arg("second"), nb::arg("model"));
  module.def("perplexity", measure_perplexity, nb::arg("texts"), nb::arg("model"));
  module.def("models", models_json);
  module.def("mechanisms", mechanisms_json);
  module.def("describe_receipt", receipt_description, nb::arg("receipt"));
  module.def("merge_receipts", merged_receipts, nb::arg("receipts"));
  module.def("tokens", tokens, nb::arg("text"));
}

}  // namespace sotto::python
