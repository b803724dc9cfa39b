#include "lm/architectures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "lm/failure.hpp"
#include "random/portable_math.hpp"

namespace sotto::lm {
namespace {

constexpr std::size_t kMostKnots = 1024;

bool are_knots(const std::vector<double>& numbers) {
  return numbers.size() >= 2 && numbers.size() <= kMostKnots &&
         std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) == numbers.end();
}

std::vector<double> read_knots(const Config& config) {
  std::vector<double> knots = config.numbers("reach_knots");
  if (!are_knots(knots) || knots.front() < 1e-6 || knots.back() > 1e6)
    config.refuse_value("reach_knots", "two or more rising numbers from 1e-6 to 1e6");
  return knots;
}

/// The first knot but one that is not below.
std::vector<double>::const_iterator knot_above(const std::vector<double>& knots, double number) {
  return std::lower_bound(knots.begin() + 1, knots.end() - 1, number);
}

}  // namespace

Activation activation_named(const Config& config, const char* key, const std::string& fallback) {
  static const std::array<std::pair<const char*, Activation>, 7> kNames = {
      {{"gelu", Activation::gelu},
       {"gelu_new", Activation::gelu_tanh},
       {"gelu_pytorch_tanh", Activation::gelu_tanh},
       {"gelu_fast", Activation::gelu_tanh},
       {"relu", Activation::relu},
       {"silu", Activation::silu},
       {"swish", Activation::silu}}};
  const std::string wanted = config.text(key, fallback);
  for (const auto& [name, activation] : kNames)
    if (wanted == name) return activation;
  config.refuse_value(key, "one of gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, relu, silu, swish");
}

std::vector<double> read_wander_knots(const Config& config) {
  if (config.whole("format_version", 1, 2, 1) == 1) return {};
  std::vector<double> knots = config.numbers("wander_knots");
  if (!are_knots(knots) || knots.front() != 0 || knots.back() != 1)
    config.refuse_value("wander_knots", "two or more rising numbers, the first 0 and the last 1");
  return knots;
}

BoundedSizes read_bounded_sizes(const Config& config) {
  BoundedSizes sizes;
  sizes.width = config.whole("hidden_size", 1, kLargestWidth);
  sizes.heads = config.whole("num_attention_heads", 1, sizes.width);
  if (sizes.width % sizes.heads != 0) config.refuse_value("num_attention_heads", "a divisor of hidden_size");
  sizes.inner = config.whole("intermediate_size", 1, kLargestWidth);
  sizes.piece_width = config.whole("piece_size", 1, kLargestWidth);
  sizes.head_width = config.whole("head_size", 1, kLargestWidth);
  sizes.layers = config.whole("num_hidden_layers", 1, kMostLayers);
  sizes.words = config.whole("output_words", 1, kLargestVocabulary);
  sizes.epsilon = config.number("layer_norm_eps", 0, 1);
  if (config.text("hidden_act", "gelu") != "gelu") config.refuse_value("hidden_act", "\"gelu\"");
  sizes.slope = config.number("slope", 1e-6, 1e6);
  sizes.range = config.number("logit_range", 1e-6, 1e6);
  sizes.knots = read_knots(config);
  sizes.wander_knots = read_wander_knots(config);
  if (!sizes.wander_knots.empty()) sizes.usual_wander = config.number("wander", 0, 1);
  sizes.limits = {config.whole("vocab_size", 1, kLargestVocabulary),
                  config.whole("max_slots", 1, kMostPositions), 2,
                  config.whole("max_pieces_per_slot", 1, kMostPositions)};
  return sizes;
}

KnotShare share_of_knots(const std::vector<double>& knots, double reach) {
  const double inside = std::clamp(reach, knots.front(), knots.back());
  const auto above = knot_above(knots, inside);
  return {static_cast<std::size_t>(above - knots.begin()),
          random::portable_log(inside / above[-1]) / random::portable_log(above[0] / above[-1])};
}

void check_draw(double reach, double wander) {
  if (!(reach > 0) || !std::isfinite(reach))
    refuse(Errc::invalid_argument, fmt::format("a reach of {} is not allowed; give a number above 0", reach));
  if (!(wander >= 0 && wander <= 1))
    refuse(Errc::invalid_argument,
           fmt::format("a wander of {} is not allowed; give a number from 0 to 1", wander));
}

KnotShare share_of_wander(const std::vector<double>& knots, double wander) {
  const auto above = knot_above(knots, wander);
  return {static_cast<std::size_t>(above - knots.begin()), (wander - above[-1]) / (above[0] - above[-1])};
}

BoundedHead head_at_reach(const BoundedSizes& sizes, double reach, const ReachConstants& constants) {
  BoundedHead head;
  head.range = static_cast<float>(sizes.range);
  head.slope = static_cast<float>(sizes.slope / std::clamp(reach, sizes.knots.front(), sizes.knots.back()));
  head.reach = static_cast<float>(std::min(reach, sizes.knots.back()));
  head.sharpness_known = static_cast<float>(constants.sharpness_known);
  head.sharpness_unknown = static_cast<float>(constants.sharpness_unknown);
  // Below the smallest knot the sum falls with the reach, to 1 at reach 0.
  head.log_total = static_cast<float>(std::min(1.0, reach / sizes.knots.front()) * constants.log_total);
  return head;
}

BertSizes read_bert_sizes(const Config& config) {
  BertSizes sizes;
  sizes.type = config.text("model_type");
  const bool distil = sizes.distil();
  if (config.text("position_embedding_type", "absolute") != "absolute")
    config.refuse_value("position_embedding_type", "\"absolute\"");
  const char* const heads_key = distil ? "n_heads" : "num_attention_heads";
  sizes.width = config.whole(distil ? "dim" : "hidden_size", 1, kLargestWidth);
  sizes.heads = config.whole(heads_key, 1, sizes.width);
  if (sizes.width % sizes.heads != 0) config.refuse_value(heads_key, "a divisor of the model's width");
  sizes.inner = config.whole(distil ? "hidden_dim" : "intermediate_size", 1, kLargestWidth);
  sizes.layers = config.whole(distil ? "n_layers" : "num_hidden_layers", 1, kMostLayers);
  sizes.epsilon = config.number("layer_norm_eps", 0, 1, 1e-12);
  sizes.activation = activation_named(config, distil ? "activation" : "hidden_act", "gelu");
  sizes.limits.ids = config.whole("vocab_size", 1, kLargestVocabulary);
  sizes.places = config.whole("max_position_embeddings", 1, kMostPositions);
  // RoBERTa's positions start after the padding id.
  if (sizes.type == "roberta") sizes.offset = config.whole("pad_token_id", 0, kMostPositions, 1) + 1;
  sizes.limits.positions = sizes.places - sizes.offset;
  if (sizes.limits.positions < 1) config.refuse_value("max_position_embeddings", "above pad_token_id + 1");
  sizes.limits.segments = distil ? 1 : config.whole("type_vocab_size", 1, 1 << 10);
  return sizes;
}

Gpt2Sizes read_gpt2_sizes(const Config& config) {
  Gpt2Sizes sizes;
  sizes.words = config.whole("vocab_size", 1, kLargestVocabulary);
  sizes.positions = config.whole("n_positions", 1, kMostPositions);
  sizes.width = config.whole("n_embd", 1, kLargestWidth);
  sizes.heads = config.whole("n_head", 1, sizes.width);
  if (sizes.width % sizes.heads != 0) config.refuse_value("n_head", "a divisor of n_embd");
  sizes.inner = config.whole("n_inner", 1, kLargestWidth, 4 * sizes.width);
  sizes.layers = config.whole("n_layer", 1, kMostLayers);
  sizes.epsilon = config.number("layer_norm_epsilon", 0, 1, 1e-5);
  sizes.activation = activation_named(config, "activation_function", "gelu_new");
  sizes.tied = config.flag("tie_word_embeddings", true);
  if (!config.flag("scale_attn_weights", true)) config.refuse_value("scale_attn_weights", "true");
  if (config.flag("scale_attn_by_inverse_layer_idx", false))
    config.refuse_value("scale_attn_by_inverse_layer_idx", "false");
  return sizes;
}

}  // namespace sotto::lm
