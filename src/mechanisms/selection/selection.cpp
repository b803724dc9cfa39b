#include "mechanisms/selection/selection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "mechanisms/selection/selection_kernel.hpp"
#include "mechanisms/word_row.hpp"
#include "privacy/rounding.hpp"

namespace sotto::mechanism {
namespace {

// Words whose distances are computed in one pass over the vectors, and the memory limit for these distances.
constexpr std::size_t kMostRowsAtOnce = 24;
constexpr std::size_t kMostSquaredBytes = std::size_t{16} << 20;

// A row is kept as a sparse one if at most one in this many outcomes is near.
constexpr std::size_t kSparseShare = 16;

Result<embed::NearestSearch> search_candidates(const Model& model, std::span<const TokenId> candidates) {
  if (candidates.empty()) return embed::NearestSearch::create(model);
  const std::size_t dimension = model.dimension();
  std::vector<std::int16_t> rows;
  rows.reserve(candidates.size() * dimension);
  for (const TokenId id : candidates) {
    for (std::size_t c = id * dimension; c < (id + 1) * dimension; ++c)
      rows.push_back(model.bits() == 16 ? model.vectors16()[c] : model.vectors8()[c]);
  }
  return embed::NearestSearch::create(rows, dimension);
}

std::uint64_t accumulate(std::span<std::uint64_t> weights) {
  std::uint64_t sum = 0;
  for (std::uint64_t& weight : weights) weight = sum += weight;
  return sum;
}

}  // namespace

Result<std::shared_ptr<const SelectionSpace>> SelectionSpace::make(const MechanismRequest& request,
                                                                   std::string_view selection,
                                                                   std::vector<TokenId> candidates) {
  const Model& model = *request.model;
  if (model.dimension() == 0)
    return fail_parameter("model", model.name(),
                          fmt::format("'{}' has no vectors; give a vector model", model.name()));
  SOTTO_ASSIGN(const SelectionKind kind, parse_selection(selection));
  SOTTO_ASSIGN(embed::NearestSearch search, search_candidates(model, candidates));
  const std::size_t outcomes = search.size();
  const auto rule = make_selection_rule(kind, DistanceWeights(outcomes, 1, 1));
  return std::shared_ptr<const SelectionSpace>(
      new SelectionSpace(request.model, std::move(search), kind, std::move(candidates),
                         split_memory(request, outcomes, rule->state_size())));
}

SelectionSpace::SelectionSpace(std::shared_ptr<const Model> model, embed::NearestSearch search,
                               SelectionKind selection, std::vector<TokenId> candidates,
                               const MemorySplit& memory)
    : model_(std::move(model)),
      search_(std::move(search)),
      selection_(selection),
      candidates_(std::move(candidates)),
      memory_(memory.tables, memory.blocks) {
  copy_vectors();
  choose_table_inputs(memory.tables);
}

SelectionSpace::MemorySplit SelectionSpace::split_memory(const MechanismRequest& request,
                                                         std::size_t outcomes, std::size_t state_size) {
  const std::uint64_t memory = request.resources.memory;
  // Rows of many ε: a block row is slower than a table and takes a thirtieth of its memory.
  if (request.many_epsilons) return {memory / 8, memory - memory / 8};
  // Block sums for every input if they take at most five eighths, and tables for the frequent ones.
  const std::uint64_t all_blocks = (request.model->size() + 1ULL) * BlockRow::bytes(outcomes, state_size);
  const std::uint64_t blocks = std::min(memory / 8 * 5, all_blocks);
  return {memory - blocks, blocks};
}

void SelectionSpace::choose_table_inputs(std::uint64_t table_bytes) {
  const std::span<const std::uint64_t> counts = model_->counts();
  wants_table_.assign(inputs(), counts.empty());
  wants_table_[model_->bottom()] = true;
  if (counts.empty()) return;
  std::vector<TokenId> order(model_->size());
  std::iota(order.begin(), order.end(), TokenId{0});
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) { return counts[a] > counts[b]; });
  const std::uint64_t tables = table_bytes / DenseRow::bytes(outcomes());
  order.resize(std::min<std::uint64_t>(order.size(), tables));
  for (const TokenId id : order) wants_table_[id] = true;
}

void SelectionSpace::copy_vectors() {
  const auto narrow = model_->vectors8();
  own_vectors_.assign(narrow.begin(), narrow.end());
  bottom_ = bottom_vector(*model_);
  for (TokenId id = 0; id <= model_->bottom(); ++id) {
    std::int64_t norm = 0;
    for (const std::int16_t value : vector(id)) norm += std::int64_t{value} * value;
    norms_.push_back(norm);
  }
  // Twice the longest vector, with a margin for rounding.
  const auto largest = static_cast<double>(*std::max_element(norms_.begin(), norms_.end()));
  longest_distance_ = 2 * std::sqrt(largest) * model_->scale() * (1 + 0x1p-40);
}

std::span<const std::int16_t> SelectionSpace::vector(TokenId input) const {
  if (input == model_->bottom()) return bottom_;
  const std::size_t dimension = model_->dimension();
  const auto all = model_->bits() == 16 ? model_->vectors16() : std::span<const std::int16_t>(own_vectors_);
  return all.subspan(input * dimension, dimension);
}

Selection::Selection(std::shared_ptr<const SelectionSpace> space, double epsilon, double limit)
    : space_(std::move(space)),
      weights_(space_->outcomes(), epsilon, space_->model().scale(),
               std::min(limit, space_->longest_distance()), weight_error()),
      rule_(make_selection_rule(space_->selection(), weights_)),
      cache_(std::make_unique<RowCache>(space_->inputs(), space_->memory())) {}

void Selection::resolve(std::span<std::uint64_t> tickets, std::span<const UniformDraw> draws,
                        std::span<TokenId> out, Scratch& scratch) const {
  // Sorted by input, a row is looked up once and stays cached for all its tokens.
  std::sort(tickets.begin(), tickets.end());
  scratch.missing.clear();
  for (std::size_t begin = 0; begin < tickets.size();) {
    const std::uint64_t input = tickets[begin] >> 32;
    std::size_t end = begin + 1;
    while (end < tickets.size() && tickets[end] >> 32 == input) ++end;
    const auto group = tickets.subspan(begin, end - begin);
    if (const CachedRow* row = cache_->find(input)) {
      answer(*row, group, draws, out);
    } else {
      scratch.missing.push_back(group);
    }
    begin = end;
  }
  const std::size_t rows_at_once =
      std::clamp<std::size_t>(kMostSquaredBytes / (8 * outcomes()), 1, kMostRowsAtOnce);
  for (std::size_t begin = 0; begin < scratch.missing.size(); begin += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, scratch.missing.size() - begin);
    answer_missing(std::span(scratch.missing).subspan(begin, count), draws, out, scratch);
  }
}

void Selection::answer(const CachedRow& row, std::span<const std::uint64_t> tickets,
                       std::span<const UniformDraw> draws, std::span<TokenId> out) const {
  std::visit(
      [&](const auto& kept) {
        for (const std::uint64_t ticket : tickets) {
          const auto place = static_cast<std::uint32_t>(ticket);
          const std::uint64_t position = position_of(draws[place], kept.total());
          if constexpr (std::is_same_v<decltype(kept), const BlockRow&>) {
            out[place] = space_->word(find_in_block(kept, static_cast<TokenId>(ticket >> 32), position));
          } else {
            out[place] = space_->word(kept.find(position));
          }
        }
      },
      row);
}

std::uint32_t Selection::find_in_block(const BlockRow& row, TokenId input, std::uint64_t position) const {
  const std::size_t block = row.find_block(position);
  const std::size_t first = block * BlockRow::kOutcomes;
  const std::size_t count = std::min(BlockRow::kOutcomes, outcomes() - first);
  const std::int16_t* rows[BlockRow::kOutcomes];
  std::int32_t products[BlockRow::kOutcomes];
  std::int64_t squared[BlockRow::kOutcomes];
  std::uint64_t cumulative[BlockRow::kOutcomes];
  for (std::size_t i = 0; i < count; ++i)
    rows[i] = space_->vector(space_->word(static_cast<std::uint32_t>(first + i))).data();
  inner_products(space_->vector(input).data(), rows, count, model().dimension(), products);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t norm = space_->norm(space_->word(static_cast<std::uint32_t>(first + i)));
    squared[i] = space_->norm(input) + norm - 2 * std::int64_t{products[i]};
  }
  rule_->weights(row.state(), {squared, count}, {cumulative, count});
  accumulate({cumulative, count});
  return static_cast<std::uint32_t>(first) + find_in({cumulative, count}, position - row.block_start(block));
}

void Selection::answer_missing(std::span<const std::span<const std::uint64_t>> groups,
                               std::span<const UniformDraw> draws, std::span<TokenId> out,
                               Scratch& scratch) const {
  scratch.queries.clear();
  for (const std::span<const std::uint64_t> group : groups) {
    const auto values = space_->vector(static_cast<TokenId>(group.front() >> 32));
    scratch.queries.insert(scratch.queries.end(), values.begin(), values.end());
  }
  scratch.squared.resize(groups.size() * outcomes());
  scratch.cumulative.resize(outcomes());
  space_->search().squared_distances(scratch.queries, scratch.squared);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto squared = std::span(scratch.squared).subspan(g * outcomes(), outcomes());
    std::vector<double> state = rule_->prepare(squared);
    rule_->weights(state, squared, scratch.cumulative);
    const std::uint64_t total = accumulate(scratch.cumulative);
    for (const std::uint64_t ticket : groups[g]) {
      const auto place = static_cast<std::uint32_t>(ticket);
      out[place] = space_->word(find_in(scratch.cumulative, position_of(draws[place], total)));
    }
    keep(static_cast<TokenId>(groups[g].front() >> 32), squared, scratch.cumulative, std::move(state));
  }
}

void Selection::keep(TokenId input, std::span<const std::int64_t> squared,
                     std::span<const std::uint64_t> cumulative, std::vector<double> state) const {
  const auto add = [&](auto row) { cache_->add(input, std::make_unique<const CachedRow>(std::move(row))); };
  const auto is_near = [this](std::int64_t distance) { return distance < weights_.far_from(); };
  const auto near = static_cast<std::size_t>(std::count_if(squared.begin(), squared.end(), is_near));
  if (near <= outcomes() / kSparseShare && near < outcomes() &&
      cache_->reserve_table(SparseRow::bytes(near))) {
    std::vector<std::uint32_t> near_outcomes;
    near_outcomes.reserve(near);
    for (std::uint32_t i = 0; i < squared.size(); ++i)
      if (is_near(squared[i])) near_outcomes.push_back(i);
    std::uint64_t far_weight = 0;
    const std::int64_t far = weights_.far_from();
    rule_->weights(state, {&far, 1}, {&far_weight, 1});
    add(SparseRow(std::move(near_outcomes), cumulative, far_weight));
  } else if (space_->wants_table(input) && cache_->reserve_table(DenseRow::bytes(outcomes()))) {
    add(DenseRow(cumulative));
  } else if (space_->norm(input) <= embed::kLargestNorm * embed::kLargestNorm &&
             cache_->reserve_block(BlockRow::bytes(outcomes(), state.size()))) {
    add(BlockRow(cumulative, std::move(state)));
  }
}

void Selection::squared_distances(std::span<const TokenId> inputs, std::span<std::int64_t> out) const {
  std::vector<std::int16_t> queries;
  queries.reserve(inputs.size() * model().dimension());
  for (const TokenId input : inputs) {
    const auto values = space_->vector(input);
    queries.insert(queries.end(), values.begin(), values.end());
  }
  space_->search().squared_distances(queries, out);
}

std::vector<std::int64_t> Selection::squared_distances(TokenId input) const {
  std::vector<std::int64_t> squared(outcomes());
  squared_distances({&input, 1}, squared);
  return squared;
}

std::vector<std::uint64_t> Selection::weights(TokenId input) const {
  const std::vector<std::int64_t> squared = squared_distances(input);
  std::vector<std::uint64_t> weights(outcomes());
  rule_->weights(rule_->prepare(squared), squared, weights);
  return weights;
}

std::vector<double> Selection::row(TokenId input) const {
  const std::vector<std::uint64_t> integers = weights(input);
  const auto total = static_cast<double>(std::accumulate(integers.begin(), integers.end(), std::uint64_t{0}));
  std::vector<double> row(model().size(), 0);
  for (std::uint32_t i = 0; i < integers.size(); ++i)
    row[space_->word(i)] = static_cast<double>(integers[i]) / total;
  return row;
}

/// The rows of several words share a pass over the vectors.
void Selection::sum_up_rows() const {
  sums_.resize(model().size());
  const std::size_t blocks = (sums_.size() + kMostRowsAtOnce - 1) / kMostRowsAtOnce;
  base::parallel_for(blocks, 1, base::thread_count(0), [&](std::size_t begin, std::size_t end) {
    std::vector<TokenId> words;
    std::vector<std::int64_t> squared(kMostRowsAtOnce * outcomes());
    std::vector<std::uint64_t> weights(outcomes());
    for (std::size_t block = begin; block < end; ++block) {
      const std::size_t first = block * kMostRowsAtOnce;
      words.resize(std::min(kMostRowsAtOnce, sums_.size() - first));
      std::iota(words.begin(), words.end(), static_cast<TokenId>(first));
      squared_distances(words, std::span(squared).first(words.size() * outcomes()));
      for (std::size_t i = 0; i < words.size(); ++i) {
        const auto row = std::span<const std::int64_t>(squared).subspan(i * outcomes(), outcomes());
        RowSum& sum = sums_[words[i]];
        sum.state = rule_->prepare(row);
        rule_->weights(sum.state, row, weights);
        sum.total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
      }
    }
  });
}

std::vector<double> Selection::column(TokenId output) const {
  if (model().size() > kMostRows) return {};
  std::vector<double> column(model().size(), 0);
  if (!space_->is_candidate(output)) return column;
  std::call_once(summed_up_, [this] { sum_up_rows(); });
  for (TokenId word = 0; word < column.size(); ++word) {
    const std::int64_t squared = model().squared_distance(word, output);
    std::uint64_t weight = 0;
    rule_->weights(sums_[word].state, {&squared, 1}, {&weight, 1});
    column[word] = static_cast<double>(weight) / static_cast<double>(sums_[word].total);
  }
  return column;
}

double Selection::moved_mass(TokenId input) const {
  std::vector<double> nominal;
  std::vector<double> sampled;
  for (const std::int64_t distance : squared_distances(input)) {
    nominal.push_back(weights_.nominal_exponent(distance));
    sampled.push_back(weights_.exponent(distance));
  }
  const std::vector<double> without = rule_->probabilities(nominal);
  const std::vector<double> with = rule_->probabilities(sampled);
  double difference = 0;
  for (std::size_t i = 0; i < with.size(); ++i) difference += std::abs(with[i] - without[i]);
  return difference / 2;
}

void SelectionTokens::add(std::span<const TokenId> in, BitSource& bits) {
  for (const TokenId input : in) add_selected(input, bits);
}

void SelectionTokens::add_selected(TokenId input, BitSource& bits) {
  tickets_.push_back(Selection::ticket(input, draws_.size()));
  const std::uint64_t high = bits.next();
  draws_.push_back({high, bits.next()});
}

void SelectionTokens::add_kept(TokenId input) {
  kept_.push_back(Selection::ticket(input, draws_.size()));
  draws_.emplace_back();
}

void SelectionTokens::resolve(std::span<TokenId> out) {
  for (const std::uint64_t ticket : kept_)
    out[static_cast<std::uint32_t>(ticket)] = static_cast<TokenId>(ticket >> 32);
  selection_.resolve(tickets_, draws_, out, scratch_);
  tickets_.clear();
  kept_.clear();
  draws_.clear();
}

double selection_rho(const Selection& selection, double epsilon) {
  return selection.rule().bounded_range() ? privacy::multiply_up(epsilon, epsilon) / 8 : 0;
}

std::vector<std::string> selection_assumptions() {
  return {"the keyed stream is indistinguishable from uniform bits"};
}

}  // namespace sotto::mechanism
