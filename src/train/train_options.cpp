#include "train/train_options.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "base/file.hpp"
#include "base/text_encoding.hpp"
#include "embed/nearest.hpp"

namespace sotto {
using namespace train;
namespace {

// The range of fastText's own integers.
constexpr std::uint64_t kLargestInteger = 2'000'000'000;
constexpr std::uint64_t kLargestWindow = 1000;
constexpr std::uint64_t kMostNegatives = 1000;

Result<void> check_range(std::string_view parameter, std::uint64_t value, std::uint64_t low,
                         std::uint64_t high) {
  if (value >= low && value <= high) return {};
  return base::not_allowed(parameter, value, fmt::format("a whole number from {} to {}", low, high));
}

Result<void> check_positive(std::string_view parameter, double value, double high) {
  if (std::isfinite(value) && value > 0 && value <= high) return {};
  return base::not_allowed(parameter, value, fmt::format("a number above 0, at most {}", high));
}

Result<void> check_files(const TrainOptions& options) {
  if (options.inputs.empty()) return fail(Errc::invalid_argument, "no corpus is given");
  if (options.output.empty()) return fail(Errc::invalid_argument, "no output file is given");
  for (const std::filesystem::path& input : options.inputs)
    SOTTO_TRY(base::check_output(options.output, input));
  if (options.phrases) SOTTO_TRY(base::check_output(options.output, *options.phrases));
  if (options.vocabulary) SOTTO_TRY(base::check_output(options.output, *options.vocabulary));
  return {};
}

}  // namespace

const char* to_string(TrainingAlgorithm algorithm) {
  return kTrainingAlgorithmNames[static_cast<std::size_t>(algorithm)].data();
}

Result<TrainingAlgorithm> parse_training_algorithm(std::string_view parameter, std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice(parameter, name, kTrainingAlgorithmNames));
  return static_cast<TrainingAlgorithm>(index);
}

const char* to_string(VectorFinish finish) {
  return kVectorFinishNames[static_cast<std::size_t>(finish)].data();
}

Result<VectorFinish> parse_vector_finish(std::string_view parameter, std::string_view name) {
  SOTTO_ASSIGN(const std::size_t index, read_choice(parameter, name, kVectorFinishNames));
  return static_cast<VectorFinish>(index);
}

Result<void> train::check_train_options(const TrainOptions& options) {
  SOTTO_TRY(base::check_uncompressed("output", options.output, "a model"));
  SOTTO_TRY(base::TextEncoding::parse("encoding", options.encoding));
  SOTTO_TRY(check_files(options));
  if (options.method != Segmentation::none && !options.phrases)
    return fail_parameter("method", to_string(options.method),
                          fmt::format("'{}' needs a phrase table", to_string(options.method)));
  if (options.method == Segmentation::none && options.phrases)
    return fail_parameter("method", "none",
                          "'none' uses no phrase table; give gst, mst or optimal, or no phrases");
  SOTTO_TRY(check_range("min_count", options.min_count, 1, kLargestInteger));
  SOTTO_TRY(check_range("dim", options.dimension, 1, embed::kLargestDimension));
  SOTTO_TRY(check_range("epochs", options.epochs, 1, 100'000));
  SOTTO_TRY(check_range("window", options.window, 1, kLargestWindow));
  SOTTO_TRY(check_range("negatives", options.negatives, 1, kMostNegatives));
  SOTTO_TRY(check_range("seed", options.seed, 0, kLargestInteger));
  SOTTO_TRY(check_positive("learning_rate", options.learning_rate, 10));
  SOTTO_TRY(check_positive("subsampling", options.subsampling, 1));
  if (options.bits != 8 && options.bits != 16) return base::not_allowed("bits", options.bits, "8 or 16");
  return {};
}

}  // namespace sotto
