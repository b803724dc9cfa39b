#include <algorithm>

#include <fmt/format.h>

#include <sotto/attack.hpp>

#include "audit/attack/evaluation.hpp"
#include "base/checked_value.hpp"
#include "base/stopwatch.hpp"
#include "base/work_meter.hpp"
#include "random/bit_sources.hpp"

namespace sotto {
using namespace audit;
namespace {

const std::vector<std::string> kAttacks(kAttackNames.begin(), kAttackNames.end());

std::string describe(const std::string& attack, const AttackReport& report, const AttackOptions& options) {
  if (attack == "nearest") return "guesses the output itself, or the secret word nearest to it";
  if (attack == "inversion")
    return fmt::format("weighs the {} secret words nearest to the output by prior times exp(-epsilon d / 2)",
                       std::min<std::uint64_t>(options.neighbours, report.words));
  return report.exact
             ? "knows prior and mechanism; weighs by the posterior"
             : fmt::format("knows the prior, and the mechanism from {} draws of each word", options.draws);
}

Result<void> check_options(const AttackOptions& options) {
  for (const std::string& attack : options.attacks) SOTTO_TRY(read_choice("attack", attack, kAttackNames));
  SOTTO_TRY(check_epsilon("epsilon", options.mechanism.epsilon));
  const auto check = [](const char* parameter, std::uint64_t value, std::uint64_t least,
                        std::uint64_t most) -> Result<void> {
    if (value >= least && value <= most) return {};
    return base::not_allowed(parameter, value, fmt::format("a whole number from {} to {}", least, most));
  };
  SOTTO_TRY(check("neighbours", options.neighbours, 1, 1000));
  SOTTO_TRY(check("draws", options.draws, 1, 100'000'000));
  SOTTO_TRY(check("trials", options.trials, 1, 1'000'000'000));
  if (options.confidence >= 0.5 && options.confidence < 1) return {};
  return base::not_allowed("confidence", options.confidence, "a number from 0.5 to below 1");
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<FixedAdversaries> make_fixed(const AttackScene& scene, const std::vector<std::string>& wanted) {
  FixedAdversaries fixed;
  const unsigned threads = scene.options.mechanism.resources.threads;
  if (contains(wanted, "nearest")) {
    SOTTO_ASSIGN(Guesses guesses, nearest_guesses(scene.space, scene.secrets, scene.model.size(), threads));
    fixed.emplace("nearest", std::move(guesses));
  }
  if (contains(wanted, "inversion")) {
    SOTTO_ASSIGN(Guesses guesses,
                 inversion_guesses(scene.space, scene.secrets, scene.model.size(), scene.options.neighbours,
                                   scene.options.mechanism.epsilon, threads));
    fixed.emplace("inversion", std::move(guesses));
  }
  return fixed;
}

Result<Secrets> choose_secrets(const Model& model, const AttackOptions& options) {
  if (!options.seed) {
    random::OsBitSource bits;
    return Secrets::choose(model, options.words, options.prior, bits);
  }
  random::ChaChaBitSource bits(random::purpose_key(fmt::format("attack {} secrets", *options.seed)));
  return Secrets::choose(model, options.words, options.prior, bits);
}

}  // namespace

Result<void> audit::report_progress(const AttackScene& scene, std::uint64_t words_done) {
  return base::report_progress(scene.options.progress, words_done, scene.secrets.words.size());
}

Result<AttackReport> attack(const Mechanism& mechanism, const Model& model, const AttackOptions& options) {
  const base::Stopwatch watch;
  SOTTO_TRY(check_options(options));
  SOTTO_ASSIGN(const Secrets secrets, choose_secrets(model, options));
  SOTTO_ASSIGN(const WordSpace space, WordSpace::make(model));
  const std::vector<std::string>& wanted = options.attacks.empty() ? kAttacks : options.attacks;
  const bool bayes = contains(wanted, "bayes");
  const bool exact = !mechanism.row(secrets.words.front()).empty();
  const AttackScene scene{mechanism, model, space, secrets, options};
  SOTTO_ASSIGN(const FixedAdversaries fixed, make_fixed(scene, wanted));

  AttackReport report;
  report.mechanism = options.mechanism.name;
  report.epsilon = options.mechanism.epsilon;
  report.model = model.name();
  report.prior = options.prior;
  report.words = secrets.words.size();
  report.whole_vocabulary = secrets.words.size() == model.size();
  report.exact = exact;
  report.draws = exact ? 0 : options.draws;
  report.trials = exact ? 0 : options.trials;
  report.confidence = options.confidence;
  report.blind_success = *std::max_element(secrets.prior.begin(), secrets.prior.end());
  report.metric = space.metric();
  SOTTO_ASSIGN(const Evaluation evaluation,
               exact ? evaluate_exactly(scene, fixed, bayes) : evaluate_by_trial(scene, fixed, bayes));
  report.utility_loss = evaluation.utility_loss;
  report.changed = evaluation.changed;
  for (const std::string& name : kAttacks)
    if (const auto score = evaluation.scores.find(name); score != evaluation.scores.end())
      report.attacks.push_back({name, describe(name, report, options), score->second.success, report.words,
                                score->second.expected_error});
  report.seconds = watch.seconds();
  return report;
}

Result<AttackReport> attack(const OpenMechanism& open, const AttackOptions& options) {
  AttackOptions own = options;
  own.mechanism = open.spec;
  return attack(*open.mechanism, *open.model, own);
}

Result<AttackReport> attack(const AttackOptions& options) {
  SOTTO_ASSIGN(const OpenMechanism open, open_mechanism(options.mechanism));
  return attack(open, options);
}

}  // namespace sotto
