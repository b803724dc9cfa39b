#include "evaluate/tuning/common_random_numbers.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "mechanisms/noise/noise.hpp"
#include "mechanisms/noise/noisy_neighbours.hpp"
#include "random/bit_sources.hpp"

namespace sotto::evaluate {
namespace {

// Draws between two progress reports, and words that a thread takes at a time.
constexpr std::uint64_t kDrawsAtOnce = 1 << 16;
constexpr std::size_t kWordsOfThread = 16;
constexpr std::size_t kBatch = 1024;

const mechanism::NoiseMechanism* as_noise(const NamedMechanism& named) {
  return dynamic_cast<const mechanism::NoiseMechanism*>(named.mechanism);
}

bool can_share(const mechanism::NoiseMechanism* noise) {
  return noise != nullptr && noise->shape() == nullptr;
}

class Drawer {
 public:
  Drawer(std::span<const TokenId> words, std::span<const NamedMechanism> group,
         const SharedDrawOptions& options)
      : words_(words),
        group_(group),
        options_(options),
        tallies_(group.size(), OutputTally(words.size(), options.draws)) {
    for (const NamedMechanism& named : group)
      if (const mechanism::NoiseMechanism* noise = as_noise(named)) choosers_.push_back(noise);
    assert(group.size() == 1 || choosers_.size() == group.size());
  }

  Result<std::vector<OutputTally>> run() {
    const unsigned threads = base::thread_count(options_.threads);
    const std::size_t at_once =
        std::max<std::size_t>(threads * kWordsOfThread, kDrawsAtOnce / options_.draws);
    for (std::size_t first = 0; first < words_.size(); first += at_once) {
      const std::size_t count = std::min(at_once, words_.size() - first);
      base::parallel_for(count, kWordsOfThread, threads, [&](std::size_t begin, std::size_t end) {
        choosers_.empty() ? draw_alone(first + begin, first + end)
                          : draw_together(first + begin, first + end);
      });
      if (options_.progress) SOTTO_TRY(options_.progress(count));
    }
    return std::move(tallies_);
  }

 private:
  /// Each word has its own bits, so that the number of threads does not matter.
  std::unique_ptr<BitSource> bits(std::size_t place) const {
    if (!options_.seed) return std::make_unique<random::OsBitSource>();
    const bool shares = !choosers_.empty() && can_share(choosers_.front());
    const std::string name =
        shares ? fmt::format("noise {}", choosers_.front()->epsilon())
               : fmt::format("{} {}", group_.front().name, group_.front().mechanism->guarantee().epsilon);
    return std::make_unique<random::ChaChaBitSource>(
        random::purpose_key(fmt::format("shared draws {} {} {}", *options_.seed, place, name)));
  }

  void draw_alone(std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place) {
      std::vector<TokenId> outputs(options_.draws, words_[place]);
      group_.front().mechanism->privatize(outputs, outputs, *bits(place));
      tallies_.front().set(place, outputs);
    }
  }

  void draw_together(std::size_t begin, std::size_t end) {
    std::size_t neighbours = 0;
    for (const mechanism::NoiseMechanism* chooser : choosers_)
      neighbours = std::max(neighbours, chooser->neighbours());
    const mechanism::NoiseMechanism& any = *choosers_.front();
    mechanism::NoisyNeighbours batch(any.space(), {any.epsilon(), any.shape(), neighbours, true});
    std::vector<std::vector<TokenId>> outputs(choosers_.size());
    std::size_t open = begin;  // the word whose outputs are incomplete
    const auto take = [&](const mechanism::NoisyNeighbours::Found& found) {
      choose(found, outputs);
      if (outputs.front().size() < options_.draws) return;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        tallies_[i].set(open, outputs[i]);
        outputs[i].clear();
      }
      ++open;
    };
    for (std::size_t place = begin; place < end; ++place) {
      const auto source = bits(place);
      for (std::uint64_t draw = 0; draw < options_.draws; ++draw) {
        if (batch.size() == kBatch) batch.find(take);
        batch.add(words_[place], *source);
      }
    }
    batch.find(take);
  }

  /// Each mechanism sees as many neighbours as it would have searched for.
  void choose(const mechanism::NoisyNeighbours::Found& found,
              std::vector<std::vector<TokenId>>& outputs) const {
    for (std::size_t i = 0; i < choosers_.size(); ++i) {
      const std::size_t seen = std::min(choosers_[i]->neighbours(), found.nearest.size());
      outputs[i].push_back(choosers_[i]->choose(found.word, found.nearest.first(seen), found.coin));
    }
  }

  std::span<const TokenId> words_;
  std::span<const NamedMechanism> group_;
  const SharedDrawOptions& options_;
  std::vector<const mechanism::NoiseMechanism*> choosers_;  ///< empty: the mechanism draws by itself
  std::vector<OutputTally> tallies_;
};

}  // namespace

std::vector<DrawGroup> group_by_noise(std::span<const NamedMechanism> mechanisms) {
  std::vector<DrawGroup> groups;
  std::map<double, std::size_t> by_epsilon;
  for (std::size_t i = 0; i < mechanisms.size(); ++i) {
    const mechanism::NoiseMechanism* noise = as_noise(mechanisms[i]);
    std::size_t group = groups.size();
    if (can_share(noise)) group = by_epsilon.emplace(noise->epsilon(), group).first->second;
    if (group == groups.size()) groups.emplace_back();
    groups[group].push_back(i);
  }
  return groups;
}

Result<std::vector<OutputTally>> draw_outputs(std::span<const TokenId> words,
                                              std::span<const NamedMechanism> group,
                                              const SharedDrawOptions& options) {
  return Drawer(words, group, options).run();
}

}  // namespace sotto::evaluate
