#include "evaluate/inference_error.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <sotto/validate.hpp>

#include "audit/joint_sums.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "evaluate/output_tally.hpp"
#include "mechanisms/mechanism_family.hpp"
#include "mechanisms/noise.hpp"
#include "mechanisms/noisy_neighbours.hpp"
#include "random/bit_sources.hpp"

namespace sotto {
namespace {

constexpr std::size_t kRowsAtOnce = 64;
constexpr std::size_t kOutputsAtOnce = 1024;
// Secrets between two reports of progress, and those that a thread takes at a time.
constexpr std::size_t kSecretsAtOnce = 512;
constexpr std::size_t kSecretsOfThread = 16;
constexpr std::size_t kBatch = 1024;

Estimate exactly(double value) {
  return {value, value, value};
}

/// A variant at an ε, and where its figures go.
struct Subject {
  std::unique_ptr<Mechanism> mechanism;
  TradeOff* result;
};

/// Subjects whose outputs are drawn together, from the same noise if it is not null.
struct Group {
  std::vector<const Subject*> subjects;
  std::vector<const NoiseMechanism*> choosers;  ///< of each subject; empty: it draws by itself
};

class Measurement {
 public:
  Measurement(const WordTask& task, const InferenceErrorOptions& options)
      : task_(task), options_(options), threads_(thread_count(options.resources.threads)) {}

  /// What is announced to the progress callback: words times subjects or groups.
  void expect(std::size_t parts) { total_ = parts * task_.secrets.words.size(); }

  Result<void> evaluate_exactly(const Subject& subject) {
    const std::size_t secrets = task_.secrets.words.size();
    JointSums joint(task_.model->size());
    std::vector<std::vector<double>> rows(kRowsAtOnce);
    std::vector<double> losses(secrets);
    double stays = 0;
    for (std::size_t first = 0; first < secrets; first += kRowsAtOnce) {
      SOTTO_TRY(report());
      const std::size_t count = std::min(kRowsAtOnce, secrets - first);
      parallel_for(count, 1, threads_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          rows[i] = subject.mechanism->row(task_.secrets.words[first + i]);
          losses[first + i] = expected_loss(task_.secrets.words[first + i], rows[i]);
        }
      });
      parallel_for(task_.model->size(), kOutputsAtOnce, threads_, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = 0; i < count; ++i)
          joint.add(task_.secrets.prior[first + i], rows[i], begin, end);
      });
      for (std::size_t i = 0; i < count; ++i)
        stays += task_.secrets.prior[first + i] * rows[i][task_.secrets.words[first + i]];
      done_ += count;
    }
    double loss = 0;
    for (std::size_t i = 0; i < secrets; ++i) loss += task_.secrets.prior[i] * losses[i];
    subject.result->exact = true;
    subject.result->inference_error = exactly(joint.inference_error());
    subject.result->best_guess_error = exactly(1 - joint.best_guess_success());
    subject.result->utility_loss = exactly(loss);
    subject.result->changed = exactly(1 - stays);
    return {};
  }

  Result<void> sample(const Group& group) {
    const std::size_t secrets = task_.secrets.words.size();
    std::vector<OutputTally> tallies(group.subjects.size(), OutputTally(secrets, options_.draws));
    for (std::size_t first = 0; first < secrets; first += kSecretsAtOnce) {
      SOTTO_TRY(report());
      const std::size_t count = std::min(kSecretsAtOnce, secrets - first);
      parallel_for(count, kSecretsOfThread, threads_, [&](std::size_t begin, std::size_t end) {
        if (group.choosers.empty())
          draw_alone(group, first + begin, first + end, tallies);
        else
          draw_together(group, first + begin, first + end, tallies);
      });
      done_ += count;
    }
    parallel_for(group.subjects.size(), 1, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        estimate_figures(task_, tallies[i], options_.confidence, *group.subjects[i]->result);
    });
    return {};
  }

  Result<void> report() const {
    if (!options_.progress || options_.progress(done_, total_)) return {};
    return fail(Errc::interrupted, "interrupted");
  }

 private:
  double expected_loss(TokenId word, std::span<const double> row) const {
    double loss = 0;
    for (TokenId output = 0; output < row.size(); ++output) loss += row[output] * task_.losses(word, output);
    return loss;
  }

  /// Bits of one secret, so that threads do not matter.
  std::unique_ptr<BitSource> bits(const Group& group, std::size_t secret) const {
    if (!options_.seed) return std::make_unique<OsBitSource>();
    const TradeOff& first = *group.subjects.front()->result;
    return std::make_unique<ChaChaBitSource>(sha256(
        fmt::format("sotto inference error {} {} {} {}", *options_.seed,
                    group.choosers.empty() ? first.name() : noise_name(group), first.epsilon, secret)));
  }

  /// The noise depends on what it is, not on who shares it: a figure with other variants repeats it.
  static std::string noise_name(const Group& group) {
    return group.choosers.front()->shape() == nullptr ? "noise" : group.subjects.front()->result->name();
  }

  void draw_alone(const Group& group, std::size_t begin, std::size_t end,
                  std::vector<OutputTally>& tallies) const {
    for (std::size_t secret = begin; secret < end; ++secret) {
      std::vector<TokenId> outputs(options_.draws, task_.secrets.words[secret]);
      group.subjects.front()->mechanism->privatize(outputs, outputs, *bits(group, secret));
      tallies.front().set(secret, outputs);
    }
  }

  void draw_together(const Group& group, std::size_t begin, std::size_t end,
                     std::vector<OutputTally>& tallies) const {
    std::size_t neighbours = 0;
    for (const NoiseMechanism* chooser : group.choosers)
      neighbours = std::max(neighbours, chooser->neighbours());
    const NoiseMechanism& any = *group.choosers.front();
    NoisyNeighbours batch(any.space(), {any.epsilon(), any.shape(), neighbours, true});
    std::vector<std::vector<TokenId>> outputs(group.choosers.size());
    std::size_t open = begin;  // the secret whose outputs are not complete
    const auto find = [&] {
      batch.find([&](const NoisyNeighbours::Found& found) {
        for (std::size_t i = 0; i < group.choosers.size(); ++i) {
          const std::size_t seen = std::min(group.choosers[i]->neighbours(), found.nearest.size());
          outputs[i].push_back(group.choosers[i]->choose(found.word, found.nearest.first(seen), found.coin));
        }
        if (outputs.front().size() < options_.draws) return;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          tallies[i].set(open, outputs[i]);
          outputs[i].clear();
        }
        ++open;
      });
    };
    for (std::size_t secret = begin; secret < end; ++secret) {
      const auto source = bits(group, secret);
      for (std::uint64_t draw = 0; draw < options_.draws; ++draw) {
        if (batch.size() == kBatch) find();
        batch.add(task_.secrets.words[secret], *source);
      }
    }
    find();
  }

  const WordTask& task_;
  const InferenceErrorOptions& options_;
  unsigned threads_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

/// Groups what has no rows: noise in the plain space together, everything else alone.
std::vector<Group> group_by_noise(const std::vector<Subject>& subjects, TokenId word,
                                  std::vector<const Subject*>& exact) {
  std::vector<Group> groups;
  Group plain;
  for (const Subject& subject : subjects) {
    const auto* noise = dynamic_cast<const NoiseMechanism*>(subject.mechanism.get());
    if (noise == nullptr) {
      if (subject.mechanism->row(word).empty())
        groups.push_back({{&subject}, {}});
      else
        exact.push_back(&subject);
    } else if (noise->shape() == nullptr) {
      plain.subjects.push_back(&subject);
      plain.choosers.push_back(noise);
    } else {
      groups.push_back({{&subject}, {noise}});
    }
  }
  if (!plain.subjects.empty()) groups.push_back(std::move(plain));
  return groups;
}

Result<void> check_options(std::span<const double> epsilons, const InferenceErrorOptions& options) {
  for (const double epsilon : epsilons) SOTTO_TRY(validate_epsilon("--epsilon", epsilon));
  if (options.draws < 2 || options.draws > 100'000'000)
    return fail(
        Errc::invalid_argument,
        fmt::format("--draws: '{}' is not allowed; give a whole number from 2 to 100000000", options.draws));
  if (options.confidence >= 0.5 && options.confidence < 1) return {};
  return fail(Errc::invalid_argument,
              fmt::format("--confidence: '{}' is not allowed; give a number from 0.5 to below 1",
                          options.confidence));
}

}  // namespace

std::string TradeOff::name() const {
  std::string name = mechanism;
  for (const auto& [key, value] : parameters) name += fmt::format(" {}={}", key, value);
  return name;
}

Result<std::vector<TradeOff>> measure_inference_error(const WordTask& task,
                                                      std::span<const MechanismVariant> variants,
                                                      std::span<const double> epsilons,
                                                      const InferenceErrorOptions& options) {
  SOTTO_TRY(check_options(epsilons, options));
  std::vector<MechanismFamily> families;
  for (const MechanismVariant& variant : variants) {
    SOTTO_ASSIGN(MechanismFamily family,
                 prepare_mechanism(variant.mechanism, task.model, variant.parameters, options.resources));
    families.push_back(std::move(family));
  }
  std::vector<TradeOff> results(variants.size() * epsilons.size());
  Measurement measurement(task, options);
  bool first = true;
  for (std::size_t e = 0; e < epsilons.size(); ++e) {
    std::vector<Subject> subjects;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      TradeOff& result = results[v * epsilons.size() + e];
      result.mechanism = variants[v].mechanism;
      result.parameters = variants[v].parameters;
      result.epsilon = epsilons[e];
      auto mechanism = families[v].at(epsilons[e]);
      if (!mechanism) {
        result.refusal = mechanism.error().message;
        continue;
      }
      result.guarantee = (*mechanism)->guarantee().kind;
      subjects.push_back({std::move(*mechanism), &result});
    }
    std::vector<const Subject*> exact;
    const std::vector<Group> groups = group_by_noise(subjects, task.secrets.words.front(), exact);
    if (first) measurement.expect((exact.size() + groups.size()) * epsilons.size());
    first = false;
    for (const Subject* subject : exact) SOTTO_TRY(measurement.evaluate_exactly(*subject));
    for (const Group& group : groups) SOTTO_TRY(measurement.sample(group));
  }
  SOTTO_TRY(measurement.report());
  return results;
}

std::vector<MechanismVariant> vickrey_figure_variants() {
  std::vector<MechanismVariant> variants = {{"cmp", {}}, {"mahalanobis", {}}};
  for (const char* exclude : {"false", "true"}) {
    for (const char* t : {"0.25", "0.5", "0.75", "1"})
      variants.push_back({"vickrey", {{"t", t}, {"exclude_input", exclude}}});
    // The r-th neighbour: all weight on the last of r.
    for (int r = 1; r <= 5; ++r) {
      std::string t = "0";
      for (int i = 1; i < r; ++i) t.insert(0, "1e6,");
      variants.push_back({"vickrey-k", {{"k", fmt::format("{}", r)}, {"t", t}, {"exclude_input", exclude}}});
    }
  }
  return variants;
}

}  // namespace sotto
