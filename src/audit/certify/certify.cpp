#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <sotto/certificate.hpp>
#include <sotto/language_models.hpp>

#include "audit/certify/privacy_loss.hpp"
#include "base/checked_value.hpp"
#include "base/stopwatch.hpp"
#include "mechanisms/loss/pair_loss.hpp"
#include "pipeline/rewrite/certificate_store.hpp"
#include "privacy/certificate.hpp"

namespace sotto {
using namespace audit;
namespace {

/// Passes each form of rows to the function that handles it.
class LossFinder final : public mechanism::RowVisitor {
 public:
  LossFinder(SearchOptions options, std::string mechanism)
      : options_(std::move(options)), mechanism_(std::move(mechanism)) {}

  Result<void> visit(const mechanism::MetricRows& rows) override {
    return take(find_metric_loss(rows, options_));
  }
  Result<void> visit(const mechanism::PlaceRows& rows) override { return take_whole(find_place_loss(rows)); }
  Result<void> visit(const mechanism::GeometricRows& rows) override {
    return take_whole(find_geometric_loss(rows));
  }
  Result<void> visit(const mechanism::PureRows& rows) override { return take_whole(find_pure_loss(rows)); }

  const PrivacyLoss& found() const { return found_; }

 private:
  Result<void> take(Result<PrivacyLoss> found) {
    if (!found) return tl::unexpected(std::move(found.error()));
    found_ = std::move(*found);
    return {};
  }

  Result<void> take_whole(Result<PrivacyLoss> found) {
    if (options_.sample == 0) return take(std::move(found));
    return fail_parameter(
        "sample", fmt::to_string(options_.sample),
        fmt::format("'{}' is not allowed for {}, which is certified in full in seconds; leave it out",
                    options_.sample, mechanism_));
  }

  SearchOptions options_;
  std::string mechanism_;
  PrivacyLoss found_;
};

std::string input_name(const Model& model, TokenId input) {
  return input == model.bottom() ? "⊥" : std::string(model.word(input));
}

Result<PrivacyLoss> find_loss(const OpenMechanism& open, const CertifyOptions& options) {
  const std::string& name = open.spec.name;
  const MechanismResources& resources = open.spec.resources;
  LossFinder finder({resources.threads, options.sample, resources.memory, options.progress}, name);
  auto shown = mechanism::show_rows(*open.mechanism, finder);
  if (shown) return finder.found();
  Error error = std::move(shown.error());
  if (error.code != Errc::invalid_argument || !error.parameter.empty())
    return tl::unexpected(std::move(error));
  // A refusal by the mechanism is a reason; turn it into a message.
  return fail_parameter("method", "exact",
                        base::format_message("'exact' is not allowed for {}: {}; give {{method}} black-box",
                                             name, Message::of_pattern(std::move(error.message))),
                        Errc::invalid_argument, std::move(error.hints));
}

/// The pair that attains the loss, with the figures that anyone who quotes the certificate will recompute.
Result<void> name_witness(const WorstPair& worst, const Mechanism& mechanism, const Model& model,
                          Certificate& certificate) {
  if (worst.distance == 0) return {};
  SOTTO_ASSIGN(const mechanism::PairLoss loss,
               mechanism::pair_loss(mechanism, model, {worst.input, worst.other, worst.output}));
  certificate.attained = std::max(0.0, loss.per_distance.lower);
  certificate.worst = {input_name(model, worst.input),
                       input_name(model, worst.other),
                       std::string(model.word(worst.output)),
                       worst.input,
                       worst.other,
                       worst.output,
                       loss.distance,
                       loss.loss};
  return {};
}

Result<void> check_sample(std::uint64_t sample) {
  if (sample == 0 || (sample >= 2 && sample <= kLargestSample)) return {};
  return base::not_allowed("sample", sample, fmt::format("a whole number from 2 to {}", kLargestSample));
}

/// `watch` was started when work on this certificate began.
Result<Certificate> certify_since(const base::Stopwatch& watch, const OpenMechanism& open,
                                  const CertifyOptions& options) {
  const MechanismSpec& spec = open.spec;
  SOTTO_ASSIGN(const PrivacyLoss found, find_loss(open, options));
  const Guarantee guarantee = open.mechanism->guarantee();
  Certificate certificate;
  certificate.subject =
      pipeline::certificate_subject(spec.name, spec.parameters, spec.epsilon, *open.model, *open.mechanism);
  certificate.model = open.model->name();
  certificate.unit = guarantee.unit;
  certificate.scope = guarantee.scope;
  certificate.method = found.method;
  certificate.epsilon = found.epsilon;
  certificate.inputs = found.inputs;
  certificate.outputs = open.model->size();
  certificate.pairs = found.pairs;
  certificate.exact_pairs = found.exact_pairs;
  certificate.equal_inputs = found.equal_inputs;
  certificate.sample = options.sample > 0 ? found.inputs : 0;
  SOTTO_TRY(name_witness(found.worst, *open.mechanism, *open.model, certificate));
  if (certificate.sample == 0 && !privacy::check_figures(certificate))
    return fail_parameter("mechanism", spec.name,
                          fmt::format("{} cannot be certified with these parameters: no two inputs are told "
                                      "apart by an output, so that no pair attains a loss",
                                      spec.name));
  certificate.seconds = watch.seconds();
  return certificate;
}

Result<std::shared_ptr<const Model>> open_model(const MechanismSpec& spec) {
  SOTTO_TRY(find_word_mechanism(spec.name));
  SOTTO_ASSIGN(const std::filesystem::path file, find_model(spec));
  return Model::open(file);
}

/// The model is opened once for all nominal ε.
Result<Certificate> certify_on(const std::shared_ptr<const Model>& model, const CertifyOptions& options) {
  const base::Stopwatch watch;
  SOTTO_ASSIGN(const OpenMechanism open, open_mechanism(options.mechanism, model));
  return certify_since(watch, open, options);
}

/// Rounded down to six digits, so that people can copy it.
double shortened(double epsilon) {
  const double unit = std::pow(10.0, std::floor(std::log10(epsilon)) - 5);
  const std::string text = fmt::format("{:.6g}", std::floor(epsilon / unit) * unit);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Searches for the largest ε whose certificate is at most the target: by the secant method, between the
/// largest ε known to meet it and the smallest known not to.
class TargetSearch {
 public:
  explicit TargetSearch(double target) : target_(target), next_(target) {}

  /// The ε to certify next; nullopt if the target is nearly met or the tries are used up.
  std::optional<double> next() const {
    const double epsilon = shortened(next_);
    const bool is_new = epsilon > low_ && epsilon < high_ && check_epsilon("epsilon", epsilon);
    return is_new && !is_met_ && tries_ < kMostTries ? std::optional(epsilon) : std::nullopt;
  }

  void add(double epsilon, double certificate) {
    ++tries_;
    if (certificate <= target_) {
      low_ = epsilon;
      is_met_ = certificate >= target_ * (1 - kTolerance);
    } else {
      high_ = epsilon;
    }
    // Certificates are roughly proportional to ε: the line through the first point and 0.
    const double slope = (certificate - last_certificate_) / (epsilon - last_epsilon_);
    const double aimed = epsilon + (target_ * (1 - kTolerance / 2) - certificate) / slope;
    last_epsilon_ = epsilon;
    last_certificate_ = certificate;
    if (aimed > low_ && aimed < high_ && std::isfinite(aimed)) {
      next_ = aimed;
    } else {
      next_ = std::isinf(high_) ? 2 * low_ : (low_ + high_) / 2;
    }
  }

 private:
  static constexpr double kTolerance = 1e-3;
  static constexpr int kMostTries = 16;

  double target_;
  double next_;
  double low_ = 0;          ///< the largest ε known to meet the target
  double high_ = INFINITY;  ///< the smallest one known not to
  double last_epsilon_ = 0;
  double last_certificate_ = 0;
  int tries_ = 0;
  bool is_met_ = false;
};

}  // namespace

Result<Certificate> certify(const CertifyOptions& options) {
  SOTTO_TRY(check_sample(options.sample));
  SOTTO_ASSIGN(const auto model, open_model(options.mechanism));
  return certify_on(model, options);
}

Result<Certificate> certify(const OpenMechanism& open, const CertifyOptions& options) {
  SOTTO_TRY(check_sample(options.sample));
  return certify_since(base::Stopwatch(), open, options);
}

Result<Certificate> nominal_for_certificate(const CertifyOptions& options) {
  if (options.sample > 0)
    return fail_parameter(
        "sample", fmt::to_string(options.sample),
        base::format_message("'{}' is not allowed with {{target}} certified: a sample is not a certificate",
                             options.sample));
  SOTTO_ASSIGN(const auto model, open_model(options.mechanism));
  const double target = options.mechanism.epsilon;
  TargetSearch search(target);
  std::optional<Certificate> best;
  while (const std::optional<double> nominal = search.next()) {
    CertifyOptions attempt = options;
    attempt.mechanism.epsilon = *nominal;
    SOTTO_ASSIGN(Certificate found, certify_on(model, attempt));
    search.add(*nominal, found.epsilon);
    if (found.epsilon <= target) best = std::move(found);
  }
  if (best) return std::move(*best);
  return fail_parameter("target", "certified",
                        fmt::format("no nominal epsilon was found for {} whose certificate is at most {}",
                                    options.mechanism.name, target),
                        Errc::not_found);
}

Result<TargetedCertificate> certificate_for_target(const CertifyOptions& options) {
  const MechanismSpec& spec = options.mechanism;
  SOTTO_ASSIGN(const auto model, open_model(spec));
  SOTTO_ASSIGN(const MechanismInfo* info, find_word_mechanism(spec.name));
  SOTTO_ASSIGN(const ParameterValues parameters, complete_parameters(*info, spec.parameters));
  SOTTO_ASSIGN(auto found, find_targeted_certificate(spec.name, parameters, spec.epsilon, *model));
  if (found) {
    SOTTO_ASSIGN(const auto mechanism, make_mechanism(spec.name, model, found->certificate.subject.epsilon,
                                                      parameters, spec.resources));
    if (mechanism->data_digest() != found->certificate.subject.data_digest)
      found.reset();
    else
      SOTTO_TRY(pipeline::check_certificate(*found, *mechanism, *model));
  }
  if (found) return TargetedCertificate{std::move(*found), true};
  SOTTO_ASSIGN(const Certificate certificate, nominal_for_certificate(options));
  SOTTO_ASSIGN(auto stored, store_certificate(certificate, model->path(), spec.epsilon));
  return TargetedCertificate{std::move(stored), false};
}

}  // namespace sotto
