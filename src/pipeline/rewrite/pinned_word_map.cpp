#include "pipeline/rewrite/pinned_word_map.hpp"

#include <fmt/format.h>

#include <sotto/error_text.hpp>

#include "base/message.hpp"
#include "pipeline/rewrite/word_map_digest.hpp"

namespace sotto::pipeline {
namespace {

Result<PinnedWordMap::Opened> open_shipped() {
  auto map = embed::shipped_word_map();
  if (!map)
    return fail_parameter(
        "oov", "nearest",
        base::format_message(
            "'nearest' needs the map of words installed with the models; install it or give bottom: {}",
            describe(map.error())),
        map.error().code);
  return PinnedWordMap::Opened{(*map)->digest(), [map = *map](std::string_view token, const auto& accept) {
                                 return map->find(token, accept);
                               }};
}

}  // namespace

std::shared_ptr<const PinnedWordMap> PinnedWordMap::shipped() {
  return std::make_shared<const PinnedWordMap>(std::string(kShippedWordMapDigest), open_shipped);
}

Result<const PinnedWordMap::Find*> PinnedWordMap::find() const {
  std::call_once(once_, [this] { find_.emplace(opened()); });
  if (!*find_) return tl::unexpected(find_->error());
  return &**find_;
}

Result<PinnedWordMap::Find> PinnedWordMap::opened() const {
  SOTTO_ASSIGN(Opened map, open_());
  if (map.digest != digest_)
    return fail_parameter(
        "oov", "nearest",
        fmt::format("the installed map of words has digest {}, but this program was built for "
                    "{}; install the models that belong to it, or give bottom",
                    map.digest, digest_),
        Errc::bad_format);
  return std::move(map.find);
}

}  // namespace sotto::pipeline
