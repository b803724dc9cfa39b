#include "evaluate/choose/mechanism_probe.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <sotto/language_models.hpp>
#include <sotto/privatizer.hpp>

#include "base/work_meter.hpp"
#include "evaluate/choose/epsilon_scan.hpp"
#include "evaluate/choose/text_attack.hpp"
#include "mechanisms/mechanism_family.hpp"

namespace sotto::evaluate {
namespace {

constexpr std::size_t kSampleLines = 3;
constexpr double kMarginOfRange = 0.05;  // as in UsefulRange
constexpr double kHalf = 0.5;

/// One mechanism on both texts.
class MechanismProbe {
 public:
  MechanismProbe(const MechanismSpec& spec, const ChooseOptions& options, ChoiceTexts& texts,
                 SimilarityMeter& similarity, ChoiceProgress& progress)
      : spec_(spec), options_(options), texts_(texts), similarity_(similarity), progress_(progress) {
    spec_.resources = options.resources;
  }

  Result<MechanismFindings> run() {
    SOTTO_TRY(open());
    EpsilonScan scan([this](double epsilon) { return measure_deciding(epsilon); });
    SOTTO_ASSIGN(const std::set<int> places, find_places(scan));
    for (const auto& [place, figures] : scan.measured()) {
      ChoicePoint point{EpsilonScan::epsilon_at(place), {}, {}};
      (options_.use_private ? point.private_text.emplace() : point.public_text) = figures;
      findings_.curve.push_back(point);
    }
    for (const int place : places) {
      SOTTO_ASSIGN(ChoicePoint point,
                   measure_point(EpsilonScan::epsilon_at(place), scan.measured().at(place)));
      if (place == limit_place_) findings_.at_limit = findings_.points.size();
      findings_.points.push_back(std::move(point));
    }
    if (findings_.at_limit) spec_.epsilon = findings_.points[*findings_.at_limit].epsilon;
    findings_.mechanism = spec_;
    return std::move(findings_);
  }

 private:
  Result<void> open() {
    SOTTO_ASSIGN(info_, find_word_mechanism(spec_.name));
    SOTTO_ASSIGN(const std::filesystem::path file, find_model(spec_));
    SOTTO_ASSIGN(model_, Model::open(file));
    SOTTO_ASSIGN(family_,
                 mechanism::prepare_mechanism(spec_.name, model_, spec_.parameters, spec_.resources));
    const std::vector<double> frequencies = texts_.public_text.frequencies(*model_);
    KnownWords words = KnownWords::of(*model_, texts_.public_text.text.documents);
    if (words.known == 0)
      return fail_parameter("public", "",
                            fmt::format("{} has no word of {}'s vocabulary",
                                        texts_.public_text.text.facts.source, model_->name()));
    on_public_.emplace(model_, std::move(words), frequencies);
    words = KnownWords::of(*model_, texts_.private_text.documents);
    if (words.known > 0) on_private_.emplace(model_, std::move(words), frequencies);
    if (options_.use_private && !on_private_)
      return fail_parameter(
          "use_private", "",
          fmt::format("{} has no word of {}'s vocabulary", texts_.private_text.facts.source, model_->name()));
    findings_.model = model_->name();
    findings_.candidates = on_public_->candidates();
    findings_.private_candidates = on_private_ ? on_private_->candidates() : 0;
    findings_.blind = deciding().blind();
    return {};
  }

  TextAttack& deciding() { return options_.use_private ? *on_private_ : *on_public_; }

  /// Draws on private text must not be repeatable by whoever knows the seed.
  AttackSettings settings(bool on_private) const {
    return {on_private ? std::nullopt : std::optional(options_.seed), options_.resources.threads,
            [this](std::uint64_t, std::uint64_t) { return progress_.go_on(); }};
  }

  /// At an ε of the scan, on the text that decides.
  Result<std::optional<TextFigures>> measure_deciding(double epsilon) {
    SOTTO_TRY(progress_.step());
    auto mechanism = family_.at(epsilon);
    if (!mechanism) {
      refusal_ = mechanism.error();
      return std::nullopt;
    }
    const Guarantee guarantee = (*mechanism)->guarantee();
    findings_.guarantee = guarantee.kind;
    findings_.unit = guarantee.unit.is_pure() ? "pure" : info_->metric;
    findings_.exact = !(*mechanism)->row(0).empty();
    SOTTO_ASSIGN(const TextFigures figures,
                 deciding().measure(**mechanism, epsilon, settings(options_.use_private)));
    return figures;
  }

  /// The places on the grid that a person should see; sets the useful range and the place at the limit.
  Result<std::set<int>> find_places(EpsilonScan& scan) {
    SOTTO_ASSIGN(const std::optional<TextFigures> smallest, scan.at(0));
    int top = EpsilonScan::kPlaces;
    std::optional<TextFigures> largest;
    while (!largest) {
      if (top == 0) return tl::unexpected(*refusal_);
      SOTTO_ASSIGN(largest, scan.at(--top));
    }
    const double floor = smallest ? smallest->recovered : findings_.blind;
    const double rises = floor + kMarginOfRange * (largest->recovered - floor);
    const double rests = largest->changed + kMarginOfRange;
    SOTTO_ASSIGN(int low, scan.first([&](const TextFigures& f) { return f.recovered >= rises; }));
    SOTTO_ASSIGN(int high, scan.first([&](const TextFigures& f) { return f.changed <= rests; }));
    if (largest->recovered - floor < kMarginOfRange) {  // epsilon hardly matters
      low = scan.measured().begin()->first;
      high = top;
    }
    low = std::min(low, high);
    SOTTO_ASSIGN(const int beyond,
                 scan.first([&](const TextFigures& f) { return f.recovered > options_.most_recovered; }));
    SOTTO_ASSIGN(const int half, scan.first([](const TextFigures& f) { return f.recovered >= kHalf; }));
    findings_.low = EpsilonScan::epsilon_at(low);
    findings_.high = EpsilonScan::epsilon_at(high);
    std::set<int> places = {low, high};
    if (half < high && half > low) places.insert(half);
    if (scan.measured().contains(beyond - 1)) {
      limit_place_ = beyond - 1;
      places.insert(limit_place_);
    }
    return places;
  }

  /// `deciding` are the figures of the scan.
  Result<ChoicePoint> measure_point(double epsilon, const TextFigures& deciding) {
    ChoicePoint point{epsilon, deciding, {}};
    SOTTO_ASSIGN(const auto mechanism, family_.at(epsilon));
    SOTTO_TRY(progress_.step());
    if (options_.use_private) {
      SOTTO_ASSIGN(point.public_text, on_public_->measure(*mechanism, epsilon, settings(false)));
    }
    SOTTO_ASSIGN(const auto rewritten, rewrite(texts_.public_encoded.texts, epsilon, options_.seed));
    similarity_.measure(texts_.public_encoded, rewritten, point.public_text);

    SOTTO_TRY(progress_.step());
    SOTTO_ASSIGN(const auto after, rewrite(texts_.private_encoded.texts, epsilon, std::nullopt));
    if (options_.use_private) {
      point.private_text = deciding;
    } else if (on_private_) {
      SOTTO_ASSIGN(point.private_text, on_private_->measure(*mechanism, epsilon, settings(true)));
    }
    if (point.private_text) similarity_.measure(texts_.private_encoded, after, *point.private_text);
    // The last point's lines are shown if no point is at the limit.
    if (!findings_.at_limit && epsilon <= sample_epsilon()) keep_samples(texts_.private_encoded.texts, after);
    return point;
  }

  double sample_epsilon() const {
    return limit_place_ < 0 ? findings_.high : EpsilonScan::epsilon_at(limit_place_);
  }

  void keep_samples(const std::vector<std::string>& before, const std::vector<std::string>& after) {
    findings_.samples.clear();
    for (std::size_t i = 0; i < std::min(kSampleLines, before.size()); ++i)
      findings_.samples.push_back({before[i], after[i]});
  }

  /// Without a seed under a throwaway key.
  Result<std::vector<std::string>> rewrite(const std::vector<std::string>& texts, double epsilon,
                                           std::optional<std::uint64_t> seed) const {
    PrivatizeOptions options;
    options.mechanism = spec_;
    options.mechanism.epsilon = epsilon;
    options.seed = seed;
    SOTTO_ASSIGN(const auto privatizer, Privatizer::make(options));
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < texts.size(); ++i) ids.push_back(std::to_string(i));
    std::vector<Document> documents;
    for (std::size_t i = 0; i < texts.size(); ++i) documents.push_back({{"choose", ids[i], ""}, texts[i]});
    std::vector<std::string> outputs(texts.size());
    Counts counts;
    SOTTO_TRY(privatizer->privatize(documents, outputs, counts, {options_.resources.threads, {}}));
    return outputs;
  }

  MechanismSpec spec_;
  const ChooseOptions& options_;
  ChoiceTexts& texts_;
  SimilarityMeter& similarity_;
  ChoiceProgress& progress_;
  const MechanismInfo* info_ = nullptr;
  std::shared_ptr<const Model> model_;
  mechanism::MechanismFamily family_;
  std::optional<TextAttack> on_public_;
  std::optional<TextAttack> on_private_;
  std::optional<Error> refusal_;
  int limit_place_ = -1;
  MechanismFindings findings_;
};

}  // namespace

Result<void> ChoiceProgress::step() {
  ++done_;
  return base::report_progress(progress_, std::min(done_, total_), total_);
}

Result<MechanismFindings> probe_mechanism(const MechanismSpec& spec, const ChooseOptions& options,
                                          ChoiceTexts& texts, SimilarityMeter& similarity,
                                          ChoiceProgress& progress) {
  return MechanismProbe(spec, options, texts, similarity, progress).run();
}

Result<double> unknown_share(const MechanismSpec& spec, const ChoiceText& text) {
  SOTTO_ASSIGN(const std::filesystem::path file, find_model(spec));
  SOTTO_ASSIGN(const std::shared_ptr<const Model> model, Model::open(file));
  const KnownWords words = KnownWords::of(*model, text.documents);
  return static_cast<double>(words.unknown) / static_cast<double>(words.known + words.unknown);
}

}  // namespace sotto::evaluate
