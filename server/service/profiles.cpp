#include "service/profiles.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <sotto/text_values.hpp>

#include "service/stricter.hpp"

namespace sotto::server {
namespace {

constexpr std::array<std::string_view, 6> kPolicyParts = {"stopwords",   "oov",  "numbers",
                                                          "punctuation", "case", "articles"};
constexpr std::size_t kMostChosen = 16;
constexpr double kLongestLockSeconds = 2;  // a client does not wait for long

double& epsilon_of(PrivatizeOptions& options) {
  return options.document_budget ? options.document_budget->epsilon : options.mechanism.epsilon;
}

bool same_policy(const Policy& a, const Policy& b) {
  return a.stopwords == b.stopwords && a.oov == b.oov && a.numbers == b.numbers &&
         a.punctuation == b.punctuation && a.letter_case == b.letter_case && a.articles == b.articles;
}

/// Among the options of one profile, which differ only in what requests may choose.
bool same_choice(PrivatizeOptions a, PrivatizeOptions b) {
  return a.mechanism.name == b.mechanism.name && epsilon_of(a) == epsilon_of(b) &&
         same_policy(a.policy, b.policy);
}

Result<void> check_profile(const Profile& profile) {
  // The name ends a data set's, after a slash.
  if (profile.name.empty() || profile.name.find('/') != std::string::npos)
    return fail_parameter("profiles", profile.name, "the name of a profile must not be empty or contain '/'");
  if (profile.options.seed)
    return fail_parameter("seed", std::to_string(*profile.options.seed),
                          "a service releases nothing under public noise");
  if (profile.options.unique_ids)
    return fail_parameter("unique_ids", "true", "a ledger refuses repeats across restarts; use its option");
  if (profile.repeat == Repeat::refuse && !profile.ledger)
    return fail_parameter("repeat", "refuse", "needs a ledger, which notes the documents");
  return {};
}

/// The entities of a text are the lines of one document, which must come out again.
Result<void> check_lines_stay(const PrivatizeOptions& options, const Privatizer& privatizer) {
  if (privatizer.receipt().kind == MechanismKind::generated)
    return fail_parameter("outside", "keep", "needs a mechanism that rewrites word by word");
  if (options.collocations != Segmentation::none)
    return fail_parameter("outside", "keep", "does not go with collocations, which join words of two lines");
  return {};
}

}  // namespace

Result<std::unique_ptr<OpenProfile>> OpenProfile::open(const Profile& profile, const Limits& limits,
                                                       WorkerPool& workers) {
  SOTTO_TRY(check_profile(profile));
  std::unique_ptr<OpenProfile> opened(new OpenProfile(profile, workers));
  PrivatizeOptions options = profile.options;
  options.max_document_bytes = std::min<std::uint64_t>(options.max_document_bytes, limits.document_bytes);
  SOTTO_ASSIGN(auto privatizer, Privatizer::make(options));
  if (profile.outside_keep) SOTTO_TRY(check_lines_stay(options, *privatizer));
  if (profile.ledger) {
    LedgerOptions ledger = *profile.ledger;
    ledger.refuse_repeats = profile.repeat == Repeat::refuse;
    ledger.wait_seconds = std::min(ledger.wait_seconds, kLongestLockSeconds);
    SOTTO_ASSIGN(auto session, privatizer->open_ledger(ledger));
    SOTTO_ASSIGN(opened->desk_, LedgerDesk::open(ledger, std::move(session)));
  }
  opened->own_ = RewriteQueue::of(options, std::move(privatizer), opened->desk_.get(), workers);
  return opened;
}

Outcome<std::optional<PrivatizeOptions>> OpenProfile::choice(const JsonObject& request) const {
  PrivatizeOptions options = own_->options();
  SOTTO_TRY(choose_mechanism(request, options));
  SOTTO_ASSIGN(const auto parts, request.settings("policy"));
  for (const auto& [part, wanted] : parts) {
    if (std::find(kPolicyParts.begin(), kPolicyParts.end(), part) == kPolicyParts.end())
      return unprocessable(
          fmt::format("policy has an unknown member; known are {}", fmt::join(kPolicyParts, ", ")), "policy");
    SOTTO_ASSIGN(options.policy, with_stricter_part(options.policy, part, wanted));
  }
  if (same_choice(options, own_->options())) return std::nullopt;
  options.mechanism.resources.memory /= kMostChosen;  // of each that is open at once
  return options;
}

Outcome<void> OpenProfile::choose_mechanism(const JsonObject& request, PrivatizeOptions& options) const {
  SOTTO_ASSIGN(const auto name, request.text("mechanism"));
  SOTTO_ASSIGN(const auto epsilon, request.number("epsilon"));
  if (!name && !epsilon) return {};
  const std::string chosen(name.value_or(options.mechanism.name));
  const bool is_own = chosen == options.mechanism.name;
  if (is_own && (!epsilon || *epsilon == epsilon_of(options))) return {};
  const auto allowed = std::find_if(profile_.allowed.begin(), profile_.allowed.end(),
                                    [&](const AllowedMechanism& one) { return one.name == chosen; });
  if (allowed == profile_.allowed.end())
    return is_own ? unprocessable("this profile allows no epsilon but its own", "epsilon")
                  : unprocessable("this profile does not allow the mechanism", "mechanism");
  if (!is_own) options.mechanism = {.name = chosen, .resources = options.mechanism.resources};
  const double wanted = epsilon.value_or(allowed->most_epsilon);
  if (!(wanted >= kSmallestEpsilon && wanted <= allowed->most_epsilon))
    return unprocessable(
        fmt::format("epsilon must be from {} to {} in this profile", kSmallestEpsilon, allowed->most_epsilon),
        "epsilon");
  epsilon_of(options) = wanted;
  return {};
}

std::shared_ptr<RewriteQueue> OpenProfile::find(const PrivatizeOptions& chosen) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(used_.begin(), used_.end(),
                                  [&](const auto& queue) { return same_choice(queue->options(), chosen); });
  if (found == used_.end()) return nullptr;
  used_.splice(used_.begin(), used_, found);
  return used_.front();
}

Outcome<std::shared_ptr<RewriteQueue>> OpenProfile::open(const PrivatizeOptions& chosen) {
  if (auto known = find(chosen)) return known;
  SOTTO_ASSIGN(auto privatizer, Privatizer::make(chosen));
  if (desk_) {
    // Another unit would be another account, with a limit of its own.
    SOTTO_ASSIGN(const auto session, privatizer->open_ledger(desk_->options()));
    if (session->receipt().unit != desk_->unit())
      return unprocessable("the ledger of this profile counts in another unit than this choice", "mechanism");
  }
  const auto queue = RewriteQueue::of(chosen, std::move(privatizer), desk_.get(), workers_);
  const std::lock_guard lock(mutex_);
  used_.push_front(queue);
  if (used_.size() > kMostChosen) used_.pop_back();
  return queue;
}

Result<std::unique_ptr<ProfileSet>> ProfileSet::open(const ServerConfig& config, WorkerPool& workers) {
  auto set = std::make_unique<ProfileSet>();
  for (const Profile& profile : config.profiles) {
    for (const auto& other : set->profiles_)
      if (other->profile().name == profile.name)
        return fail_parameter("profiles", profile.name, "two profiles have this name");
    SOTTO_ASSIGN(auto opened, OpenProfile::open(profile, config.limits, workers));
    set->profiles_.push_back(std::move(opened));
  }
  if (set->profiles_.empty()) return fail_parameter("profiles", "", "missing; give at least one");
  return set;
}

std::vector<OpenProfile*> ProfileSet::all_of(const Caller& caller) const {
  std::vector<OpenProfile*> usable;
  for (const auto& profile : profiles_)
    if (caller.key_name.empty() || std::find(caller.profiles.begin(), caller.profiles.end(),
                                             profile->profile().name) != caller.profiles.end())
      usable.push_back(profile.get());
  return usable;
}

Outcome<OpenProfile*> ProfileSet::find(const Caller& caller, std::optional<std::string_view> name) const {
  for (OpenProfile* profile : all_of(caller))
    if (!name || profile->profile().name == *name) return profile;
  // Which profiles there are besides is nothing to a key that may not use them.
  return tl::unexpected(Failure(403, "forbidden", "there is no such profile that you may use", "profile"));
}

std::string dataset_of(const Caller& caller, const OpenProfile& profile) {
  return caller.key_name + "/" + profile.profile().name;
}

}  // namespace sotto::server
