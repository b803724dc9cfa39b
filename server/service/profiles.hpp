// The profiles of the configuration, opened.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/server_config.hpp"
#include "service/json_reader.hpp"
#include "service/rewrite_queue.hpp"

namespace sotto::server {

/// What requests may choose, by the names of the members.
inline constexpr std::array<std::string_view, 4> kChoiceMembers = {"profile", "mechanism", "epsilon",
                                                                   "policy"};

/// A profile, with its ledger and what was opened for requests that chose something stricter. Safe to use
/// from several threads.
class OpenProfile {
 public:
  static Result<std::unique_ptr<OpenProfile>> open(const Profile& profile, const Limits& limits,
                                                   WorkerPool& workers);

  const Profile& profile() const { return profile_; }
  const std::shared_ptr<RewriteQueue>& own() const { return own_; }
  LedgerDesk* desk() const { return desk_.get(); }

  /// What the request asks for instead of the profile's own; empty: nothing. A failure if it would loosen it.
  Outcome<std::optional<PrivatizeOptions>> choice(const JsonObject& request) const;
  /// An open queue for such a choice, if there is one.
  std::shared_ptr<RewriteQueue> find(const PrivatizeOptions& chosen);
  /// Opens one, which may take a second, and keeps it as long as few others are used.
  Outcome<std::shared_ptr<RewriteQueue>> open(const PrivatizeOptions& chosen);

 private:
  OpenProfile(Profile profile, WorkerPool& workers) : profile_(std::move(profile)), workers_(workers) {}
  Outcome<void> choose_mechanism(const JsonObject& request, PrivatizeOptions& options) const;

  const Profile profile_;
  WorkerPool& workers_;
  std::unique_ptr<LedgerDesk> desk_;  // null: no ledger
  std::shared_ptr<RewriteQueue> own_;
  std::mutex mutex_;                               // for the chosen ones
  std::list<std::shared_ptr<RewriteQueue>> used_;  // the last first
};

/// All of them.
class ProfileSet {
 public:
  static Result<std::unique_ptr<ProfileSet>> open(const ServerConfig& config, WorkerPool& workers);

  /// The profile of this name, or the first that the caller may use.
  Outcome<OpenProfile*> find(const Caller& caller, std::optional<std::string_view> name) const;
  std::vector<OpenProfile*> all_of(const Caller& caller) const;

 private:
  std::vector<std::unique_ptr<OpenProfile>> profiles_;
};

/// The data set of a caller's documents: a new key of the same name changes no document's name.
std::string dataset_of(const Caller& caller, const OpenProfile& profile);

}  // namespace sotto::server
