#include "playground/preview_privatizers.hpp"

#include <utility>

#include <fmt/format.h>

#include "playground/open_mechanisms.hpp"

namespace sotto::server {
namespace {

// The noise of previews is public, so that nobody takes one for a release.
constexpr std::uint64_t kPreviewSeed = 1;
constexpr std::uint64_t kPreviewMemory = std::uint64_t{16} << 20;

std::string options_name(const PrivatizeOptions& options) {
  const Policy& policy = options.policy;
  return fmt::format("{}|{}|{},{},{},{},{},{}", name_without_epsilon(options.mechanism),
                     options.mechanism.epsilon, to_string(policy.stopwords), to_string(policy.oov),
                     to_string(policy.numbers), to_string(policy.punctuation), to_string(policy.letter_case),
                     to_string(policy.articles));
}

Result<PreviewPrivatizers::Open> make_preview_privatizer(PrivatizeOptions options) {
  options.seed = kPreviewSeed;
  options.mechanism.resources = {kPreviewMemory, 1};
  options.language.threads = 1;
  auto made = std::make_shared<PreviewPrivatizer>();
  SOTTO_ASSIGN(made->privatizer, Privatizer::make(options));
  made->receipt = made->privatizer->receipt();
  return PreviewPrivatizers::Open(std::move(made));
}

}  // namespace

Result<PreviewPrivatizers::Open> PreviewPrivatizers::open(const PrivatizeOptions& options,
                                                          Deadline deadline) {
  const std::string name = options_name(options);
  if (Open known = privatizers_.find(name)) return known;
  const std::unique_lock turn(opening_, deadline);
  if (!turn) return Open();
  if (Open known = privatizers_.find(name)) return known;  // another request has opened it meanwhile
  SOTTO_ASSIGN(Open made, make_preview_privatizer(options));
  privatizers_.keep(name, made);
  return made;
}

Result<std::shared_ptr<const PreviewPrivatizers::Typical>> PreviewPrivatizers::typical(
    const MechanismSpec& spec, Deadline deadline) {
  const std::string name = name_without_epsilon(spec);
  if (auto known = typical_.find(name)) return known;
  const std::unique_lock turn(opening_, deadline);
  if (!turn) return std::shared_ptr<const Typical>();
  if (auto known = typical_.find(name)) return known;
  MechanismSpec small = spec;
  small.resources = {kPreviewMemory, 1};
  SOTTO_ASSIGN(const OpenMechanism open, open_mechanism(small));
  SOTTO_ASSIGN(Typical distances, typical_metric_distances(open));
  auto made = std::make_shared<const Typical>(distances);
  typical_.keep(name, made);
  return made;
}

}  // namespace sotto::server
