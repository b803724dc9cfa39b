#include "service/privatize_texts.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <sodium.h>

namespace sotto::server {
namespace {

constexpr std::size_t kLongestName = 256;  // of an id or a subject, in characters
constexpr std::size_t kMostOpenings = 16;

Outcome<void> check_name(std::string_view member, std::size_t index, std::string_view name) {
  const std::string member_name = std::string(member) + "s";
  if (name.empty())
    return unprocessable(fmt::format("the {} of text {} is empty", member, index), member_name);
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  if (static_cast<std::size_t>(std::count_if(name.begin(), name.end(), begins)) > kLongestName)
    return unprocessable(
        fmt::format("the {} of text {} has more than {} characters", member, index, kLongestName),
        member_name);
  return {};
}

/// From the thread that finished the texts; an answer that does not fit into memory is none.
Response written(const WithPrivatized& write, ServiceState& state, const OpenProfile& profile,
                 RewriteQueue& queue, Outcome<Privatized> privatized) {
  try {
    if (privatized)
      state.metrics.count(profile.profile().name, queue.unit(), queue.epsilon_of(privatized->counts),
                          privatized->counts);
    return write(queue, std::move(privatized));
  } catch (const std::bad_alloc&) {
    return response_of(unavailable("there is not enough memory for this").value());
  }
}

}  // namespace

std::vector<std::string> fresh_ids(std::size_t count) {
  constexpr std::size_t kBytes = 16;
  std::vector<unsigned char> bytes(kBytes * count);  // drawn at once: each call asks the system
  randombytes_buf(bytes.data(), bytes.size());
  std::vector<std::string> ids(count, std::string(2 * kBytes, '0'));
  for (std::size_t i = 0; i < count; ++i)
    sodium_bin2hex(ids[i].data(), ids[i].size() + 1, &bytes[kBytes * i], kBytes);
  return ids;
}

Outcome<void> check_texts(const Limits& limits, const OpenProfile& profile,
                          const std::vector<TextToPrivatize>& texts) {
  if (texts.size() > limits.texts)
    return unprocessable(fmt::format("there are more than {} texts", limits.texts), "texts");
  const std::uint64_t most = profile.own()->options().max_document_bytes;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const TextToPrivatize& text = texts[i];
    if (text.text.size() > most)
      return unprocessable(fmt::format("text {} has more than {} bytes", i, most), "texts");
    if (text.text.find('\0') != std::string_view::npos)
      return unprocessable(fmt::format("text {} has a NUL character", i), "texts");
    SOTTO_TRY(check_name("id", i, text.id));
    if (profile.desk() != nullptr) SOTTO_TRY(check_name("subject", i, text.subject));
  }
  return {};
}

void with_queue(ServiceState& state, OpenProfile& profile, const std::optional<PrivatizeOptions>& choice,
                WithQueue then) {
  if (!choice) return then(profile.own());
  if (auto queue = profile.find(*choice)) return then(std::move(queue));
  const bool taken = state.computers.post_unless(
      kMostOpenings, [&profile, chosen = *choice, then] { then(profile.open(chosen)); });
  if (!taken) then(overloaded("too many mechanisms are being opened"));
}

void privatize_texts(ServiceState& state, const Caller& caller, OpenProfile& profile,
                     const std::optional<PrivatizeOptions>& choice, std::vector<TextToPrivatize> texts,
                     std::shared_ptr<const void> owner, WithPrivatized write, Respond respond) {
  if (auto sound = check_texts(state.config.limits, profile, texts); !sound)
    return respond(response_of(sound.error()));
  PrivatizeJob job{dataset_of(caller, profile), std::move(texts), std::move(owner), {}, {}};
  auto share = state.load.take(job.bytes());
  if (!share) return respond(response_of(share.error()));
  job.share = std::move(*share);
  with_queue(state, profile, choice,
             [&state, &profile, job = std::move(job), write = std::move(write),
              respond = std::move(respond)](Outcome<std::shared_ptr<RewriteQueue>> queue) mutable {
               if (!queue) return respond(response_of(queue.error()));
               job.done = [&state, &profile, queue = queue->get(), kept = *queue, write = std::move(write),
                           respond = std::move(respond)](Outcome<Privatized> privatized) {
                 respond(written(write, state, profile, *queue, std::move(privatized)));
               };
               (*queue)->push(std::move(job));
             });
}

}  // namespace sotto::server
