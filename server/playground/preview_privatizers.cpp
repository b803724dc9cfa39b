#include "playground/preview_privatizers.hpp"

#include <utility>

#include <fmt/format.h>

namespace sotto::server {
namespace {

// The noise of previews is public, so that nobody takes one for a release.
constexpr std::uint64_t kPreviewSeed = 1;
constexpr std::uint64_t kPreviewMemory = std::uint64_t{4} << 20;
// Beyond it, a client makes up parameters; what is forgotten is computed again.
constexpr std::size_t kMostTypical = 256;

/// Values are quoted by their length, so no two specifications have the same name.
std::string mechanism_name(const MechanismSpec& spec) {
  std::string name = fmt::format("{}:{};{}:{}", spec.name.size(), spec.name, spec.model.size(), spec.model);
  for (const auto& [parameter, value] : spec.parameters)
    name += fmt::format(";{}={}:{}", parameter, value.size(), value);
  return name;
}

std::string options_name(const PrivatizeOptions& options) {
  const Policy& policy = options.policy;
  return fmt::format("{}|{}|{},{},{},{},{},{}", mechanism_name(options.mechanism), options.mechanism.epsilon,
                     to_string(policy.stopwords), to_string(policy.oov), to_string(policy.numbers),
                     to_string(policy.punctuation), to_string(policy.letter_case),
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

PreviewPrivatizers::Open PreviewPrivatizers::find(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->privatizer;
}

Result<PreviewPrivatizers::Open> PreviewPrivatizers::open(const PrivatizeOptions& options,
                                                          Deadline deadline) {
  const std::string name = options_name(options);
  if (Open known = find(name)) return known;
  const std::unique_lock turn(opening_, deadline);
  if (!turn) return Open();
  if (Open known = find(name)) return known;  // another request has opened it meanwhile
  SOTTO_ASSIGN(Open made, make_preview_privatizer(options));
  const std::lock_guard lock(mutex_);
  entries_.push_front({name, made});
  by_name_[name] = entries_.begin();
  if (entries_.size() > most_) {
    by_name_.erase(entries_.back().name);
    entries_.pop_back();
  }
  return made;
}

Result<std::shared_ptr<const PreviewPrivatizers::Typical>> PreviewPrivatizers::typical(
    const MechanismSpec& spec, Deadline deadline) {
  const std::string name = mechanism_name(spec);
  const auto known = [&]() -> std::shared_ptr<const Typical> {
    const std::lock_guard lock(mutex_);
    const auto found = typical_.find(name);
    return found == typical_.end() ? nullptr : found->second;
  };
  if (auto found = known()) return found;
  const std::unique_lock turn(opening_, deadline);
  if (!turn) return std::shared_ptr<const Typical>();
  if (auto found = known()) return found;
  MechanismSpec small = spec;
  small.resources = {kPreviewMemory, 1};
  SOTTO_ASSIGN(const OpenMechanism open, open_mechanism(small));
  SOTTO_ASSIGN(Typical distances, typical_metric_distances(open));
  auto made = std::make_shared<const Typical>(distances);
  const std::lock_guard lock(mutex_);
  if (typical_.size() >= kMostTypical) typical_.clear();
  typical_[name] = made;
  return made;
}

}  // namespace sotto::server
