// A map of strings to words in memory.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/rewrite/pinned_word_map.hpp"

namespace sotto::testing {

/// For each token the way to its word and the candidates, best first. Other tokens have no place.
struct MappedToken {
  embed::WordPath path;
  std::vector<std::string> candidates;
};
using MapTable = std::map<std::string, MappedToken, std::less<>>;

/// `opened`, if given, counts how often the map is opened; `digest` is that of what is found then, `pinned`
/// that of the configuration.
inline std::shared_ptr<const pipeline::PinnedWordMap> table_map(MapTable table,
                                                                const std::string& pinned = "map 1",
                                                                const std::string& digest = "map 1",
                                                                std::atomic<int>* opened = nullptr) {
  return std::make_shared<const pipeline::PinnedWordMap>(
      pinned, [table = std::move(table), digest, opened]() -> Result<pipeline::PinnedWordMap::Opened> {
        if (opened != nullptr) ++*opened;
        return pipeline::PinnedWordMap::Opened{
            digest, [table](std::string_view token, const std::function<bool(std::string_view)>& accept) {
              const auto known = table.find(token);
              if (known == table.end()) return embed::WordPath::none;
              for (const std::string& word : known->second.candidates)
                if (accept(word)) return known->second.path;
              return embed::WordPath::none;
            }};
      });
}

}  // namespace sotto::testing
