#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sotto/model.hpp>

#include "base/checked_value.hpp"
#include "base/file.hpp"
#include "base/message.hpp"
#include "base/parallel.hpp"
#include "base/work_meter.hpp"
#include "embed/model_file.hpp"
#include "embed/nearest.hpp"
#include "embed/tour.hpp"
#include "embed/vocabulary.hpp"
#include "random/bit_sources.hpp"
#include "random/integer_samplers.hpp"

namespace sotto {
using namespace embed;
namespace {

// Neighbours of each word that a tour tries before it searches. More of them make the table more expensive
// and the tour cheaper; the sum is smallest around this number. The lists do not depend on it.
constexpr std::size_t kNeighbours = 16;

using ModelPointer = std::shared_ptr<const Model>;

Result<std::vector<ModelPointer>> open_models(const ListOptions& options) {
  if (options.models.empty()) return fail(Errc::invalid_argument, "no model to build lists from is given");
  if (options.output.empty()) return fail(Errc::invalid_argument, "no output file is given");
  std::vector<ModelPointer> models;
  for (const auto& path : options.models) {
    SOTTO_TRY(base::check_output(options.output, path));
    SOTTO_ASSIGN(ModelPointer model, Model::open(path));
    if (model->dimension() == 0)
      return fail(Errc::invalid_argument,
                  fmt::format("{} is a list set; lists are built from models with vectors", path.string()));
    models.push_back(std::move(model));
  }
  const std::uint32_t size = models.front()->size();
  if (options.lists_per_model == 0 || options.lists_per_model > size)
    return base::not_allowed("lists_per_model", options.lists_per_model,
                             fmt::format("a whole number from 1 to {}, the size of the vocabulary", size));
  return models;
}

// The id in `target` of each word of `source`; the error names a word that only one of them has.
Result<std::vector<TokenId>> translate(const Model& source, const Model& target) {
  const auto only_in = [](const Model& has, const Model& lacks, std::string_view word) {
    return fail(Errc::invalid_argument, fmt::format("the models must share one vocabulary, but '{}' is in {} "
                                                    "and not in {}",
                                                    word, has.path().string(), lacks.path().string()));
  };
  std::vector<TokenId> ids(source.size());
  std::vector<bool> met(target.size(), false);
  const Vocabulary& vocabulary = ModelAccess::vocabulary(target);
  for (TokenId id = 0; id < source.size(); ++id) {
    const std::string_view word = source.word(id);
    ids[id] = vocabulary.find_exact(word);
    if (ids[id] == target.bottom()) return only_in(source, target, word);
    met[ids[id]] = true;
  }
  for (TokenId id = 0; id < target.size(); ++id)
    if (!met[id]) return only_in(target, source, target.word(id));
  return ids;
}

// `count` distinct words, each uniform among those not yet drawn.
std::vector<TokenId> draw_starts(BitSource& bits, std::uint32_t size, std::uint32_t count) {
  std::vector<TokenId> starts;
  while (starts.size() < count) {
    const auto start = static_cast<TokenId>(random::uniform_below(bits, size));
    if (std::find(starts.begin(), starts.end(), start) == starts.end()) starts.push_back(start);
  }
  return starts;
}

// The lists of one model, in its own ids. Empty if the callback requested a stop.
Result<std::vector<std::vector<TokenId>>> build_tours(const Model& model, const std::vector<TokenId>& starts,
                                                      unsigned threads, base::WorkMeter& meter) {
  Result<NearestSearch> search = NearestSearch::create(model);
  if (!search) return base::fail_at(model.path().string(), std::move(search.error()));
  const WorkDone work_done = [&](std::uint64_t units) { return meter.add(units); };
  const NeighbourTable neighbours = nearest_neighbours(*search, kNeighbours, threads, work_done);
  std::vector<std::vector<TokenId>> tours(starts.size());
  if (!meter.add(0)) return std::vector<std::vector<TokenId>>();
  // Tours run in parallel; spare threads help inside each.
  const auto inner = std::max(1U, threads / static_cast<unsigned>(starts.size()));
  base::parallel_for(starts.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      tours[i] = greedy_tour(*search, neighbours, starts[i], inner, work_done);
  });
  if (!meter.add(0)) tours.clear();
  return tours;
}

void append_lists(std::vector<std::vector<TokenId>> tours, const std::vector<TokenId>& ids,
                  ModelParts& parts) {
  for (std::vector<TokenId>& tour : tours) {
    for (TokenId& id : tour) id = ids[id];
    parts.lists.push_back(std::move(tour));
  }
}

std::string copy_words(const Model& model, std::vector<std::uint64_t>& offsets) {
  std::string words;
  offsets.assign(1, 0);
  for (TokenId id = 0; id < model.size(); ++id) {
    words.append(model.word(id));
    offsets.push_back(words.size());
  }
  return words;
}

}  // namespace

Result<void> build_lists(const ListOptions& options) {
  SOTTO_ASSIGN(const std::vector<ModelPointer> models, open_models(options));
  ModelParts parts;
  SOTTO_ASSIGN(parts.metadata, check_metadata(options.metadata));
  const Model& first = *models.front();
  std::vector<std::vector<TokenId>> translations;
  for (const ModelPointer& model : models) {
    SOTTO_ASSIGN(std::vector<TokenId> ids, translate(*model, first));
    translations.push_back(std::move(ids));
  }
  SOTTO_ASSIGN(const random::Key key, options.seed ? Result<random::Key>(random::key_from_seed(*options.seed))
                                                   : random::random_key());
  random::ChaChaBitSource bits(key);
  base::WorkMeter meter(options.progress,
                        std::uint64_t{first.size()} * models.size() * (1 + options.lists_per_model));
  nlohmann::json sources = nlohmann::json::array();
  nlohmann::json digests = nlohmann::json::array();
  for (std::size_t m = 0; m < models.size(); ++m) {
    const std::vector<TokenId> starts = draw_starts(bits, first.size(), options.lists_per_model);
    SOTTO_ASSIGN(auto tours, build_tours(*models[m], starts, base::thread_count(options.threads), meter));
    if (tours.empty()) return fail(Errc::interrupted, "building the lists was stopped");
    for (std::size_t i = 0; i < tours.size(); ++i) {
      sources.push_back(models[m]->name());
      digests.push_back(models[m]->digest());
    }
    append_lists(std::move(tours), translations[m], parts);
  }
  parts.metadata[std::string(kListSourcesKey)] =
      sources.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  parts.metadata[std::string(kListDigestsKey)] = digests.dump();
  const std::string words = copy_words(first, parts.offsets);
  parts.words = words;
  parts.counts = first.counts();
  SOTTO_TRY(write_model(options.output, parts));
  return {};
}

}  // namespace sotto
