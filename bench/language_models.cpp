// Rates of a masked model of roberta-base's size with random weights (the arithmetic of a trained one): each
// token with a full forward pass and all its logits, at batch 1, against batches that ask for the masked
// places only.
//
//     bench_language_models FOLDER [THREADS [TOKENS]]
//
// FOLDER takes the checkpoint (500 MB), written when it is not there. Texts have TOKENS tokens (default 25)
// and stand twice in a sequence, as DP-MLM reads them. Rates are by the clock and, for machines that are
// shared, by the time the processors spent on this program.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lm/language_model.hpp"
#include "support/random_checkpoint.hpp"

namespace sotto {
namespace {

constexpr double kSeconds = 8;
constexpr std::size_t kTexts = 8;

struct Workload {
  std::vector<Sequence> sequences;
  std::vector<std::uint32_t> places;
};

// Texts masked at every place.
Workload make_workload(std::uint32_t words, std::size_t tokens) {
  std::mt19937 engine(3);
  Workload work;
  for (std::size_t text = 0; text < kTexts; ++text) {
    Sequence twice;
    for (std::size_t i = 0; i < tokens; ++i)
      twice.ids.push_back(static_cast<std::int32_t>(3 + engine() % (words - 3)));
    for (std::size_t i = 0; i < tokens; ++i) twice.ids.push_back(twice.ids[i]);
    for (std::size_t i = tokens; i < 2 * tokens; ++i) {
      work.sequences.push_back(twice);
      work.sequences.back().ids[i] = 2;
      work.places.push_back(static_cast<std::uint32_t>(i));
    }
  }
  return work;
}

template <class T>
T value_of(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

double now(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Tokens a minute.
struct Rate {
  double by_clock;
  double by_processor;
};

// Of calls that do `batch` tokens each; the first, which touches the weights, does not count.
Rate rate(std::size_t batch, const std::function<void(std::size_t call)>& body) {
  body(0);
  const double clock = now(CLOCK_MONOTONIC);
  const double processor = now(CLOCK_PROCESS_CPUTIME_ID);
  std::size_t calls = 0;
  while (now(CLOCK_MONOTONIC) - clock < kSeconds) body(++calls);
  const double tokens = 60 * static_cast<double>(calls * batch);
  return {tokens / (now(CLOCK_MONOTONIC) - clock), tokens / (now(CLOCK_PROCESS_CPUTIME_ID) - processor)};
}

// The largest resident set since the last reset, in MB.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

void reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << 5;
}

Rate everywhere_rate(const MaskedModel& model, const Workload& work) {
  std::vector<float> out(work.sequences[0].ids.size() * model.output_size());
  return rate(1, [&](std::size_t call) {
    value_of(model.logits_everywhere(work.sequences[call % work.sequences.size()], out));
  });
}

Rate masked_rate(const MaskedModel& model, const Workload& work, std::size_t batch, std::vector<float>& out) {
  out.resize(batch * model.output_size());
  return rate(batch, [&](std::size_t) {
    value_of(model.logits(std::span(work.sequences).first(batch), std::span(work.places).first(batch), out));
  });
}

void compare(const std::vector<float>& exact, const std::vector<float>& bytes, std::size_t size) {
  double largest = 0;
  double square = 0;
  double difference = 0;
  std::size_t agree = 0;
  for (std::size_t row = 0; row < exact.size(); row += size) {
    for (std::size_t i = row; i < row + size; ++i) {
      const double d = std::abs(exact[i] - bytes[i]);
      largest = std::max(largest, d);
      difference += d * d;
      square += exact[i] * exact[i];
    }
    const auto best = [&](const std::vector<float>& all) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row);
      return std::max_element(begin, begin + static_cast<std::ptrdiff_t>(size)) - begin;
    };
    agree += best(exact) == best(bytes) ? 1 : 0;
  }
  std::printf(
      "int8 against f32: largest difference %.4f, r.m.s. %.4f of logits with r.m.s. %.3f; the best word is "
      "the "
      "same in %zu of %zu\n",
      largest, std::sqrt(difference / static_cast<double>(exact.size())),
      std::sqrt(square / static_cast<double>(exact.size())), agree, exact.size() / size);
}

void report(const char* precision, const MaskedModel& model, const Workload& work, std::vector<float>& out) {
  const Rate whole = everywhere_rate(model, work);
  const Rate single = masked_rate(model, work, 1, out);
  const Rate batched = masked_rate(model, work, work.sequences.size(), out);
  const auto line = [&](const std::string& what, const Rate& rate) {
    std::printf("%-5s %-30s %8.0f tokens a minute (x %5.2f), %8.0f a minute of a processor (x %5.2f)\n",
                precision, what.c_str(), rate.by_clock, rate.by_clock / whole.by_clock, rate.by_processor,
                rate.by_processor / whole.by_processor);
  };
  line("everything, batch 1", whole);
  line("masked place, batch 1", single);
  line(fmt::format("masked place, batch {}", work.sequences.size()), batched);
}

int run(const std::filesystem::path& folder, unsigned threads, std::size_t tokens) {
  std::filesystem::create_directories(folder);
  if (!std::filesystem::exists(folder / "model.safetensors"))
    value_of(testing::RandomRoberta({}, 1).write(folder));
  LanguageModelBackend& backend = *value_of(language_model_backend());
  std::vector<float> exact;
  std::vector<float> bytes;
  std::uint32_t size = 0;
  for (const Precision precision : {Precision::f32, Precision::int8}) {
    reset_peak_memory();
    const double begin = now(CLOCK_MONOTONIC);
    const auto model = value_of(backend.open_masked(folder, {Device::cpu, precision, threads}));
    const double opening = now(CLOCK_MONOTONIC) - begin;
    const Workload work = make_workload(model->input_size(), tokens);
    size = model->output_size();
    const bool is_exact = precision == Precision::f32;
    report(is_exact ? "f32" : "int8", *model, work, is_exact ? exact : bytes);
    std::printf("      opened in %.2f s; at most %.0f MB resident\n", opening, peak_memory());
  }
  compare(exact, bytes, size);
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [THREADS [TOKENS]]\n", argv[0]);
    return 2;
  }
  const auto number = [&](int i, int fallback) { return i < argc ? std::atoi(argv[i]) : fallback; };
  return sotto::run(argv[1], static_cast<unsigned>(number(2, 0)), static_cast<std::size_t>(number(3, 25)));
}
