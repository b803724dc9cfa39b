// What all routes share that privatize texts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "service/privatization.hpp"
#include "service/router.hpp"

namespace sotto::server {

/// Each 128 random bits in hex: the ids of documents whose client gives none.
std::vector<std::string> fresh_ids(std::size_t count);

/// A failure unless every text can be rewritten under the profile; it names the index of the first that
/// cannot, never its content.
Outcome<void> check_texts(const Limits& limits, const OpenProfile& profile,
                          const std::vector<TextToPrivatize>& texts);

using WithQueue = std::function<void(Outcome<std::shared_ptr<RewriteQueue>>)>;
/// Calls `then` with the profile's own queue or that of a choice, which is opened if need be.
void with_queue(ServiceState& state, OpenProfile& profile, const std::optional<PrivatizeOptions>& choice,
                WithQueue then);

using WithPrivatized = std::function<Response(RewriteQueue& queue, Outcome<Privatized> privatized)>;
/// Rewrites the texts of a request, charges them, and answers with what `write` makes of them. `owner` keeps
/// what the texts refer to.
void privatize_texts(ServiceState& state, const Caller& caller, OpenProfile& profile,
                     const std::optional<PrivatizeOptions>& choice, std::vector<TextToPrivatize> texts,
                     std::shared_ptr<const void> owner, WithPrivatized write, Respond respond);

}  // namespace sotto::server
