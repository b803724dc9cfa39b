#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include <fmt/format.h>

#include <sotto/black_box.hpp>
#include <sotto/language_models.hpp>
#include <sotto/privatize.hpp>

#include "audit/clopper_pearson.hpp"
#include "audit/distributions.hpp"
#include "audit/falsify/claim.hpp"
#include "audit/falsify/event.hpp"
#include "audit/falsify/independence.hpp"
#include "audit/falsify/pairs.hpp"
#include "audit/falsify/target.hpp"
#include "audit/falsify/text_pairs.hpp"
#include "base/checked_value.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "base/work_meter.hpp"
#include "pipeline/rewrite/masked_text_mechanism.hpp"
#include "random/bit_sources.hpp"

namespace sotto {
using namespace audit;
namespace {

constexpr std::uint64_t kPilotDraws = 2000;
constexpr std::uint64_t kAgreementDraws = 20'000;
constexpr std::uint64_t kTextDraws =
    20'000;  // per text; texts take longer than words and are distinguished sooner
constexpr std::uint64_t kRuns = 1000;
constexpr std::uint64_t kCommandRuns = 50;
constexpr int kLongestTimeout = 86400;

/// Strings that are in no vocabulary; each is one token of the class word or other.
const std::vector<std::string> kOutside = {"zzqxkjv", "Qvwxhjk", "jane.roe@example.org", "b2b4c6"};

BitSourceMaker bits_for(const std::optional<std::uint64_t>& seed) {
  if (!seed) return [](std::uint64_t) { return std::make_unique<random::OsBitSource>(); };
  return [seed = *seed](std::uint64_t run) {
    return std::make_unique<random::ChaChaBitSource>(
        random::purpose_key(fmt::format("audit {} {}", seed, run)));
  };
}

Result<void> check_options(const BlackBoxOptions& options) {
  if (options.draws < 20 || options.draws > 1'000'000'000)
    return base::not_allowed("draws", options.draws, "a whole number from 20 to 1000000000");
  if (options.pairs < 1 || options.pairs > 10'000)
    return base::not_allowed("pairs", options.pairs, "a whole number from 1 to 10000");
  if (!options.texts.empty() && options.path != AuditPath::document)
    return fail_parameter("texts", "",
                          base::format_message("they go through documents; give {{through}} document"));
  if (options.runs != 0 && (options.runs < 4 || options.runs > 1'000'000))
    return base::not_allowed("runs", options.runs, "a whole number from 4 to 1000000");
  if (!(options.confidence >= 0.5 && options.confidence < 1 && 1 - options.confidence >= 1e-12))
    return base::not_allowed("confidence", options.confidence, "a number from 0.5 to below 1");
  if (!(options.timeout >= 0.1 && options.timeout <= kLongestTimeout))
    return base::not_allowed("timeout", options.timeout,
                             fmt::format("a number from 0.1 to {}", kLongestTimeout));
  return {};
}

/// Half of the error probability is for the losses: two bounds per ordered pair.
double bound_alpha(double confidence, std::uint64_t tests) {
  return (1 - confidence) / 2 / (2 * static_cast<double>(tests));
}

/// One audit, step by step.
class Audit {
 public:
  Audit(Target& target, const Claim& claim, const AuditVocabulary& model, const BlackBoxOptions& options)
      : target_(target), claim_(claim), model_(model), options_(options) {}

  /// Adds texts to compare through this document path; `adjacency` as for claim_between().
  void add_texts(const Privatizer& privatizer, std::vector<TextPair> texts,
                 std::vector<SharedTrait> adjacency) {
    privatizer_ = &privatizer;
    texts_ = std::move(texts);
    adjacency_ = std::move(adjacency);
  }

  /// Audits texts alone.
  Result<BlackBoxReport> run() {
    const base::Stopwatch watch;
    report_.tests = 2 * texts_.size();
    SOTTO_TRY(test_texts());
    finish(texts_.size());
    report_.seconds = watch.seconds();
    return std::move(report_);
  }

  Result<BlackBoxReport> run(std::vector<AuditInput> inputs, BitSource& bits) {
    const base::Stopwatch watch;
    inputs_ = std::move(inputs);
    const std::uint64_t half = options_.draws / 2;
    SOTTO_ASSIGN(const std::vector<Tally> pilots,
                 draw_tallies(std::vector<bool>(inputs_.size(), true), std::min(half, kPilotDraws)));
    const std::vector<InputPair> pairs = choose_pairs(inputs_, claim_, pilots, options_.pairs, model_, bits);
    if (pairs.empty())
      return fail_parameter(
          "model", "", "nothing is claimed for any two of the words looked at; give a model of more words");
    std::vector<bool> needed(inputs_.size(), false);
    for (const InputPair& pair : pairs) needed[pair.first] = needed[pair.second] = true;
    SOTTO_ASSIGN(const std::vector<Tally> chosen_on, draw_tallies(needed, half));
    SOTTO_ASSIGN(const std::vector<Tally> tested_on, draw_tallies(needed, half));
    report_.tests = 2 * (pairs.size() + texts_.size());
    for (const InputPair& pair : pairs) {
      test(pair.first, pair.second, pair, chosen_on, tested_on);
      test(pair.second, pair.first, pair, chosen_on, tested_on);
    }
    SOTTO_TRY(test_texts());
    SOTTO_TRY(check_runs(pilots));
    finish(pairs.size() + texts_.size());
    report_.seconds = watch.seconds();
    return std::move(report_);
  }

 private:
  Result<std::vector<Tally>> draw_tallies(const std::vector<bool>& needed, std::uint64_t draws) {
    std::vector<Tally> tallies(inputs_.size());
    std::mutex mutex;
    Result<void> failure;
    std::atomic<bool> failed = false;  // skip the rest: a foreign program may take its full time limit
    const std::uint64_t first_run = runs_;
    base::parallel_for(inputs_.size(), 1, target_.threads(), [&](std::size_t begin, std::size_t end) {
      std::vector<OutputId> outputs(draws);
      for (std::size_t i = begin; i < end; ++i) {
        if (!needed[i] || failed) continue;
        auto drawn = target_.draw(first_run + i, inputs_[i], outputs);
        const std::lock_guard lock(mutex);
        if (!failure) return;
        if (!drawn) failure = std::move(drawn);
        tallies[i] = Tally(outputs);
        report_.draws_in_all += draws;
        if (auto reported = base::report_progress(options_.progress, report_.draws_in_all, 0); !reported)
          failure = std::move(reported);
        failed = !failure;
      }
    });
    SOTTO_TRY(std::move(failure));
    runs_ += inputs_.size();
    return tallies;
  }

  ChosenEvent choose(std::size_t first, std::size_t second, const std::vector<Tally>& chosen_on,
                     double alpha) const {
    const double deviations = normal_quantile(alpha);
    // ⊙ leans nowhere; ⊥, in the middle of the words, stands for it.
    const auto centre = [&](std::size_t input) { return std::min(inputs_[input].id, model_.bottom()); };
    std::vector<double> lean;
    for (TokenId word = 0; word < model_.size(); ++word) {
      const double difference = claim_.distance(centre(first), word) - claim_.distance(centre(second), word);
      lean.push_back(std::isnan(difference) ? INFINITY : difference);  // nothing is claimed for either
    }
    ChosenEvent event = choose_event(chosen_on[first], chosen_on[second], claim_.covers, deviations);
    ChosenEvent side = choose_side(chosen_on[first], chosen_on[second], lean, claim_.covers, deviations);
    return side.score > event.score ? side : event;
  }

  void test(std::size_t first, std::size_t second, const InputPair& pair, const std::vector<Tally>& chosen_on,
            const std::vector<Tally>& tested_on) {
    const double alpha = bound_alpha(options_.confidence, report_.tests);
    const ChosenEvent event = choose(first, second, chosen_on, alpha);
    PairFinding finding;
    finding.first = inputs_[first].text;
    finding.second = inputs_[second].text;
    finding.chosen_as = pair.chosen_as;
    finding.distance = pair.distance;
    finding.allowed = claim_.allowed(pair.distance);
    const auto named = [&](OutputId id) { return target_.output(id); };
    test_event(event, named, tested_on[first], tested_on[second], alpha, finding);
    report_.pairs.push_back(std::move(finding));
  }

  Result<void> test_texts() {
    if (texts_.empty()) return {};
    const double alpha = bound_alpha(options_.confidence, report_.tests);
    const bool whole_text = privatizer_->receipt().kind != MechanismKind::word_by_word;
    const std::uint64_t draws =
        options_.texts.empty() ? std::min(options_.draws, kTextDraws) : options_.draws;
    const TextPairAudit audit(*privatizer_, model_, claim_, draws);
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const TextClaim claimed =
          claim_between(texts_[i], claim_, adjacency_, options_.policy, model_, whole_text);
      SOTTO_ASSIGN(std::vector<PairFinding> findings, audit.test(texts_[i], claimed, alpha, i));
      std::move(findings.begin(), findings.end(), std::back_inserter(report_.pairs));
      report_.draws_in_all += 2 * draws;
      SOTTO_TRY(base::report_progress(options_.progress, report_.draws_in_all, 0));
    }
    return {};
  }

  /// Uses the input whose pilot draws agree least: its documents distinguish runs soonest.
  Result<void> check_runs(const std::vector<Tally>& pilots) {
    const auto agreement = [](const Tally& tally) {
      double sum = 0;
      for (const auto& [output, count] : tally.counts())
        sum += static_cast<double>(count) * static_cast<double>(count);
      return sum;
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < pilots.size(); ++i)
      if (agreement(pilots[i]) < agreement(pilots[best])) best = i;
    // Drawn again: in the pilot it agrees little because it was chosen for that.
    std::vector<OutputId> sample(std::min(options_.draws, kAgreementDraws));
    SOTTO_TRY(target_.draw(runs_++, inputs_[best], sample));
    const std::uint64_t usual = options_.path == AuditPath::command ? kCommandRuns : kRuns;
    const IndependenceOptions independence{.input = inputs_[best],
                                           .runs = options_.runs == 0 ? usual : options_.runs,
                                           .first_run = runs_,
                                           .alpha = (1 - options_.confidence) / 2};
    SOTTO_ASSIGN(report_.independence, check_independence(target_, independence, sample));
    return {};
  }

  void finish(std::uint64_t pairs) {
    report_.model = model_.name();
    report_.metric = claim_.metric;
    report_.own_claim = claim_.own;
    report_.epsilon = claim_.epsilon;
    report_.confidence = options_.confidence;
    report_.draws = options_.draws;
    report_.largest_refutable = largest_refutable_loss(options_.draws, pairs, options_.confidence);
    std::stable_sort(report_.pairs.begin(), report_.pairs.end(), [](const auto& a, const auto& b) {
      if (a.claimed != b.claimed) return a.claimed;
      return a.loss_lower - a.allowed > b.loss_lower - b.allowed;
    });
    for (const PairFinding& finding : report_.pairs) {
      if (!finding.claimed) continue;
      if (finding.allowed >= report_.largest_refutable) ++report_.pairs_out_of_reach;
      const double loss = finding.loss_lower - (finding.allowed - claim_.epsilon * finding.distance);
      if (loss > 0)
        report_.epsilon_lower =
            std::max(report_.epsilon_lower, finding.distance > 0 ? loss / finding.distance : INFINITY);
    }
  }

  Target& target_;
  const Claim& claim_;
  const AuditVocabulary& model_;
  const BlackBoxOptions& options_;
  std::vector<AuditInput> inputs_;
  const Privatizer* privatizer_ = nullptr;  // for texts
  std::vector<TextPair> texts_;
  std::vector<SharedTrait> adjacency_;
  std::uint64_t runs_ = 0;
  BlackBoxReport report_;
};

Result<BlackBoxReport> run_audit(Target& target, const Claim& claim, const AuditVocabulary& model,
                                 const BlackBoxOptions& options, const std::vector<std::string>& outside) {
  const std::unique_ptr<BitSource> bits = bits_for(options.seed)(~std::uint64_t{0});
  std::vector<AuditInput> inputs = choose_inputs(model, claim, outside, options.vocabulary_only, *bits);
  return Audit(target, claim, model, options).run(std::move(inputs), *bits);
}

PrivatizeOptions document_options(const BlackBoxOptions& options) {
  PrivatizeOptions privatize;
  privatize.mechanism = options.mechanism;
  privatize.policy = options.policy;
  privatize.seed = options.seed;
  privatize.language.threads = options.mechanism.resources.threads;
  return privatize;
}

/// Texts of one word and whole texts through the document path, or only those named in the options. If the
/// claim is the mechanism's own, it covers texts of equal adjacency.
Result<BlackBoxReport> audit_documents(Claim claim, const AuditVocabulary& model,
                                       const BlackBoxOptions& options) {
  SOTTO_ASSIGN(const std::unique_ptr<Privatizer> privatizer, Privatizer::make(document_options(options)));
  std::vector<SharedTrait> adjacency;
  if (claim.own) {
    adjacency = privatizer->receipt().guarantee.adjacency;
    claim.adjacent = [&](const std::string& first, const std::string& second) {
      return profile_text(first, adjacency, options.policy, model).traits ==
             profile_text(second, adjacency, options.policy, model).traits;
    };
  }
  const std::unique_ptr<BitSource> bits = bits_for(options.seed)(~std::uint64_t{0});
  std::vector<TextPair> texts;
  for (const auto& [first, second] : options.texts) texts.push_back({first, second, "given"});
  const std::unique_ptr<Target> target = make_document_target(*privatizer, model);
  Audit audit(*target, claim, model, options);
  if (!texts.empty()) {
    audit.add_texts(*privatizer, std::move(texts), adjacency);
    return audit.run();
  }
  if (claim.own && !options.vocabulary_only)
    audit.add_texts(*privatizer, generate_text_pairs(model, claim, *bits), adjacency);
  return audit.run(choose_inputs(model, claim, kOutside, options.vocabulary_only, *bits), *bits);
}

Result<BlackBoxReport> audit_command(const BlackBoxOptions& options) {
  if (options.metric.empty())
    return fail_parameter(
        "metric", "",
        "missing; give the metric of the claim to audit the command against: euclidean, index or pure");
  const MechanismSpec& spec = options.mechanism;
  SOTTO_ASSIGN(const auto file, find_model(spec.model.empty() ? "sotto-en-wordnet" : spec.model));
  SOTTO_ASSIGN(const std::shared_ptr<const Model> model, Model::open(file));
  SOTTO_ASSIGN(Claim claim, named_claim(options.metric, *model, spec.epsilon));
  claim.strings_differ = options.metric == "pure";
  const ModelVocabulary words(*model);
  const std::unique_ptr<Target> target = make_command_target(options.command, options.timeout, words);
  SOTTO_ASSIGN(BlackBoxReport report, run_audit(*target, claim, words, options, kOutside));
  report.audited = options.command;
  return report;
}

/// A draw of dp-mlm guarantees pure ε between any two texts, so also between texts of one word.
Result<BlackBoxReport> audit_masked(const BlackBoxOptions& options) {
  SOTTO_ASSIGN(const MechanismInfo* info, find_mechanism(options.mechanism.name));
  if (info->name != "dp-mlm")
    return fail_parameter(
        "mechanism", info->name,
        base::format_message("'{}' is not allowed; of the mechanisms that rewrite whole texts "
                             "the falsifier knows dp-mlm, and any program with {{command}}",
                             info->name));
  if (!options.metric.empty() && options.metric != "pure")
    return fail_parameter(
        "metric", options.metric,
        fmt::format("'{}' is not allowed; dp-mlm has no distances; give pure", options.metric));
  SOTTO_ASSIGN(const ParameterValues parameters, complete_parameters(*info, options.mechanism.parameters));
  SOTTO_ASSIGN(const auto masked,
               pipeline::MaskedTextMechanism::make(*info, document_options(options), parameters));
  const Guarantee guarantee = masked->guarantee({});
  if (guarantee.kind == GuaranteeKind::none && options.metric.empty())
    return fail_parameter("metric", "",
                          "missing; with these options the mechanism promises nothing, so give pure to audit "
                          "it against pure epsilon");
  Claim claim;
  claim.metric = "pure";
  claim.own = guarantee.kind != GuaranteeKind::none;
  claim.epsilon = options.mechanism.epsilon;
  claim.distance = [](TokenId a, TokenId b) { return a == b ? 0.0 : 1.0; };
  claim.covers = [](TokenId) { return true; };
  claim.strings_differ = true;
  const FillerVocabulary words(masked->mechanism()->shared_filler(), masked->model_name());
  const auto audited = [&]() -> Result<BlackBoxReport> {
    if (options.path == AuditPath::document) return audit_documents(claim, words, options);
    const std::unique_ptr<Target> target =
        make_masked_target(masked->mechanism(), bits_for(options.seed), options.mechanism.resources.threads);
    return run_audit(*target, claim, words, options, kOutside);
  };
  SOTTO_ASSIGN(BlackBoxReport report, audited());
  report.audited = options.mechanism.name;
  return report;
}

}  // namespace

bool BlackBoxReport::losses_refute() const {
  return std::any_of(pairs.begin(), pairs.end(), [](const PairFinding& pair) { return pair.refutes(); });
}

bool BlackBoxReport::independence_refutes() const {
  return std::any_of(independence.begin(), independence.end(),
                     [](const IndependenceFinding& finding) { return finding.refutes; });
}

double largest_refutable_loss(std::uint64_t draws, std::uint64_t pairs, double confidence) {
  const double alpha = bound_alpha(confidence, 2 * pairs);
  const std::uint64_t half = std::max<std::uint64_t>(draws / 2, 1);
  return std::log(lower_bound(half, half, alpha) / upper_bound(0, half, alpha));
}

Result<BlackBoxReport> audit_black_box(const Mechanism& mechanism, const Model& model,
                                       const BlackBoxOptions& options, const BitSourceMaker& bits) {
  SOTTO_TRY(check_options(options));
  SOTTO_ASSIGN(const Claim claim, options.metric.empty()
                                      ? own_claim(mechanism, model.size())
                                      : named_claim(options.metric, model, options.mechanism.epsilon));
  const ModelVocabulary words(model);
  const std::unique_ptr<Target> target = make_mechanism_target(
      mechanism, words, bits ? bits : bits_for(options.seed), options.mechanism.resources.threads);
  SOTTO_ASSIGN(BlackBoxReport report, run_audit(*target, claim, words, options, {}));
  report.audited = options.mechanism.name;
  return report;
}

Result<BlackBoxReport> audit_black_box(const BlackBoxOptions& options) {
  SOTTO_TRY(check_options(options));
  if (options.path == AuditPath::command) return audit_command(options);
  if (rewrites_whole_texts(options.mechanism.name)) return audit_masked(options);
  SOTTO_ASSIGN(const OpenMechanism open, open_mechanism(options.mechanism));
  if (options.path == AuditPath::mechanism) return audit_black_box(*open.mechanism, *open.model, options);
  SOTTO_ASSIGN(Claim claim, options.metric.empty()
                                ? own_claim(*open.mechanism, open.model->size())
                                : named_claim(options.metric, *open.model, options.mechanism.epsilon));
  // A mechanism cannot exclude a string that is not a word of the model from its guarantee.
  claim.covers = [covers = claim.covers, size = open.model->size()](TokenId output) {
    return output >= size || covers(output);
  };
  std::shared_ptr<const embed::WordMap> map;
  if (options.policy.oov == OovPolicy::nearest) {
    SOTTO_ASSIGN(map, embed::shipped_word_map());
  }
  const ModelVocabulary words(*open.model, std::move(map));
  SOTTO_ASSIGN(BlackBoxReport report, audit_documents(claim, words, options));
  report.audited = options.mechanism.name;
  return report;
}

}  // namespace sotto
