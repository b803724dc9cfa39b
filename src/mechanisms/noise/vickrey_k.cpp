// Paper "On a Utilitarian Approach to Privacy Preserving Text Generation", Algorithm 3: noise as in `cmp`,
// then one of the k nearest words, the r-th with probability ∝ exp(−t_r·d_r).
//
// Errors in the paper and the published code that are avoided here: the input word is excluded (see vickrey);
// squared distances are used as distances; the published default t = (1, 0) chooses the nearest word with
// probability exp(−d₁), about 1e-6. Here a single t applies to all ranks by default, so a nearer word is more
// likely. The paper finds a benefit up to the third word, hence k = 3.
#include "mechanisms/noise/vickrey_k.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked_value.hpp"
#include "mechanisms/noise/vickrey_base.hpp"
#include "random/portable_math.hpp"

namespace sotto::mechanism {
namespace {

class VickreyK final : public VickreyMechanism {
 public:
  VickreyK(std::shared_ptr<const NoiseSpace> space, double epsilon, std::vector<double> t, bool exclude_input)
      : VickreyMechanism(std::move(space), epsilon, t.size(), exclude_input), t_(std::move(t)) {}

 protected:
  std::size_t choose_rank(std::span<const double> distances, double coin) const override {
    std::array<double, kMostCandidates> sums{};
    double least = t_[0] * distances[0];
    for (std::size_t r = 1; r < distances.size(); ++r) least = std::min(least, t_[r] * distances[r]);
    double sum = 0;
    for (std::size_t r = 0; r < distances.size(); ++r) {
      sum += random::portable_exp(std::max(least - t_[r] * distances[r], -700.0));
      sums[r] = sum;
    }
    const double place = coin * sum;
    std::size_t rank = 0;
    while (rank + 1 < distances.size() && place >= sums[rank]) ++rank;
    return rank;
  }

 private:
  std::vector<double> t_;
};

constexpr double kLargestT = 1e6;

/// One number for all ranks, or one per rank.
Result<std::vector<double>> parse_t(std::string_view text, std::size_t k) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    SOTTO_ASSIGN(const double value,
                 read_number("parameters.t", text.substr(begin, end - begin), 0, kLargestT));
    values.push_back(value);
    begin = end + 1;
  }
  if (values.size() == 1) values.resize(k, values[0]);
  if (values.size() != k)
    return base::not_allowed("parameters.t", text,
                             fmt::format("one number or, as k is {}, {} of them separated by commas", k, k));
  return values;
}

}  // namespace

MechanismInfo vickrey_k_info() {
  return {.name = "vickrey-k",
          .summary = "adds noise to a word's vector and takes one of the k nearest words",
          .metric = "Euclidean distance of the vectors",
          .guarantee =
              "analytic: epsilon times the Euclidean distance, assuming real-valued noise; none with "
              "exclude_input=true",
          .speed = "tens of thousands of words per second",
          .use_when = "outputs should be more diverse than with vickrey",
          .default_model = "sotto-en-wordnet",
          .parameters = {{"k", "3", "how many words to choose among: a whole number from 1 to 100"},
                         {"t", "1",
                          "how fast the choice falls with distance: one number from 0 to 1e6, or k of them "
                          "separated by commas, nearest word first"},
                         exclude_input_parameter()}};
}

void shorten_equal_t(ParameterValues& complete) {
  std::string& t = complete.at("t");
  const std::string first = t.substr(0, t.find(','));
  std::string repeated = first;
  std::size_t count = 1;
  for (; repeated.size() < t.size(); ++count) repeated += "," + first;
  if (repeated == t && complete.at("k") == std::to_string(count)) t = first;
}

Result<MechanismFamily> prepare_vickrey_k(const MechanismRequest& request) {
  SOTTO_ASSIGN(const bool exclude_input, parse_exclude_input(request));
  const std::size_t words = request.model->size() - (exclude_input ? 1 : 0);
  SOTTO_ASSIGN(const std::uint64_t k, read_integer("parameters.k", request.parameters.at("k"), 1,
                                                   std::min(VickreyMechanism::kMostCandidates, words)));
  SOTTO_ASSIGN(std::vector<double> t, parse_t(request.parameters.at("t"), k));
  SOTTO_ASSIGN(auto space, NoiseSpace::make(request.model));
  return MechanismFamily{[space = std::move(space), t = std::move(t), exclude_input](double epsilon) {
    return std::make_unique<VickreyK>(space, epsilon, t, exclude_input);
  }};
}

}  // namespace sotto::mechanism
