// What config.json says about each architecture, checked. Everything throws Failure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lm/config.hpp"
#include "lm/input_limits.hpp"
#include "lm/language_model.hpp"

namespace sotto::lm {

enum class Activation { gelu, gelu_tanh, relu, silu };
/// By its name in config.json.
Activation activation_named(const Config& config, const char* key, const std::string& fallback);

/// sotto-bounded-mlm.
struct BoundedSizes {
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t inner = 0;
  std::int64_t piece_width = 0;
  std::int64_t head_width = 0;
  std::int64_t layers = 0;
  std::int64_t words = 0;
  double epsilon = 0;
  double slope = 0;
  double range = 0;
  std::vector<double> knots;         ///< reaches, ascending, two or more
  std::vector<double> wander_knots;  ///< ascending from 0 to 1, two or more; empty in format version 1
  double usual_wander = 0;
  InputLimits limits;
};
BoundedSizes read_bounded_sizes(const Config& config);
/// BoundedSizes::wander_knots.
std::vector<double> read_wander_knots(const Config& config);

/// How a number lies between two knots.
struct KnotShare {
  std::size_t right = 1;  ///< the knot above; the one before it is the one below
  double share = 0;       ///< of the knot above
};
/// A reach: linear in its logarithm, constant outside.
KnotShare share_of_knots(const std::vector<double>& knots, double reach);
/// A wander, from 0 to 1: linear.
KnotShare share_of_wander(const std::vector<double>& knots, double wander);

/// Refuses a reach that is not above 0, and a wander that is not from 0 to 1.
void check_draw(double reach, double wander);

/// What the knots say about a reach, interpolated.
struct ReachConstants {
  double log_total = 0;  ///< see BoundedHead
  double sharpness_known = 1;
  double sharpness_unknown = 1;
};
BoundedHead head_at_reach(const BoundedSizes& sizes, double reach, const ReachConstants& constants);

/// bert, roberta and distilbert.
struct BertSizes {
  std::string type;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t inner = 0;
  std::int64_t layers = 0;
  std::int64_t places = 0;  ///< rows of the table of positions
  std::int64_t offset = 0;  ///< the row of position 0
  double epsilon = 0;
  Activation activation = Activation::gelu;
  InputLimits limits;
  bool distil() const { return type == "distilbert"; }
};
BertSizes read_bert_sizes(const Config& config);

/// gpt2.
struct Gpt2Sizes {
  std::int64_t words = 0;
  std::int64_t positions = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t inner = 0;
  std::int64_t layers = 0;
  double epsilon = 0;
  Activation activation = Activation::gelu_tanh;
  bool tied = true;  ///< the head is the table of words
};
Gpt2Sizes read_gpt2_sizes(const Config& config);

}  // namespace sotto::lm
