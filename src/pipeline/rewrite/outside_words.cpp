#include "pipeline/rewrite/outside_words.hpp"

#include <functional>

#include <sotto/collocations.hpp>

namespace sotto::pipeline {

Result<OutsidePlace> OutsideWords::find(std::string_view token) const {
  SOTTO_ASSIGN(const PinnedWordMap::Find* const find, map_->find());
  OutsidePlace place{model_.bottom(), embed::WordPath::none};
  place.path = (*find)(token, [&](std::string_view word) {
    if (word.find(kPhraseJoint) != std::string_view::npos) return false;
    place.word = model_.find(word);
    return place.word != model_.bottom();
  });
  return place;
}

Result<OutsidePlace> RecentPlaces::find(std::string_view token) {
  if (token.size() > kLongest) return words_.find(token);
  std::call_once(made_, [this] { entries_ = std::make_unique<Entry[]>(kEntries); });
  const std::size_t index = std::hash<std::string_view>()(token) % kEntries;
  Entry& entry = entries_[index];
  std::mutex& mutex = locks_[index % kLocks];
  {
    const std::lock_guard lock(mutex);
    if (entry.token() == token) return entry.place;
  }
  SOTTO_ASSIGN(const OutsidePlace place, words_.find(token));
  const std::lock_guard lock(mutex);
  entry.size = static_cast<std::uint8_t>(token.copy(entry.letters.data(), kLongest));
  entry.place = place;
  return place;
}

}  // namespace sotto::pipeline
