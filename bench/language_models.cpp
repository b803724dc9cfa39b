// Tokens a minute of DP-MLM, and what a straightforward program makes of the same questions: one forward pass
// a token, over the whole sequence, with the logits of every place, at batch 1.
//
//     bench_language_models MODEL TEXT [THREADS [SECONDS [HOW [WHAT [TEXTS]]]]]
//     bench_language_models --make FOLDER TOKENIZER
//
// The texts are the first TEXTS (32) lines of TEXT. HOW lists what is measured, with commas between: engine
// (models stored in 8 bits, without libtorch), f32, int8 and cuda (with libtorch), and logits are compared
// with those of the first; WHAT is one of everything, parallel, sequential, one-pass, draws, all, none. Modes
// that the model was not made for are left out; with the engine, one-pass also measures the network alone.
// draws, with libtorch: what a GPU does with full batches, so give thousands of TEXTS and THREADS that
// prepare batches.
// The second form writes a checkpoint of roberta-base's size with random weights (500 MB), which is the
// arithmetic of a trained one, with the tokenizer of another folder. Rates are by the clock and, for machines
// that are shared, by the time the processors spent on this program.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <sotto/error_text.hpp>

#include "base/parallel.hpp"
#include "lm/balanced_law.hpp"
#include "lm/engine/byte_matrix.hpp"
#include "lm/masked_mechanism.hpp"
#include "random/bit_sources.hpp"
#include "support/random_checkpoint.hpp"

namespace sotto {
namespace {

constexpr double kEpsilon = 25;
constexpr std::size_t kCompared = 2048;

template <class T>
T value_of(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", describe(result.error()).c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

double now(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// A line of the file with its tokens; every word is drawn.
struct Text {
  std::string line;
  std::vector<Token> tokens;
  std::vector<std::uint32_t> words;
};

std::vector<Text> read_texts(const std::string& file, std::size_t most) {
  std::vector<Text> texts;
  std::ifstream in(file);
  for (std::string line; texts.size() < most && std::getline(in, line);) {
    Text text{line, {}, {}};
    tokenize(text.line, text.tokens);
    for (std::uint32_t i = 0; i < text.tokens.size(); ++i)
      if (text.tokens[i].token_class == TokenClass::word) text.words.push_back(i);
    if (!text.words.empty()) texts.push_back(std::move(text));
  }
  if (texts.empty()) value_of(Result<void>(fail(Errc::not_found, fmt::format("{}: no text", file))));
  return texts;
}

// What is asked about all words of all texts.
struct Questions {
  std::vector<lm::Sequence> sequences;
  std::vector<std::uint32_t> places;
  std::vector<std::string> words;  // that stand there
};

Questions questions_of(const lm::WordFiller& filler, const std::vector<Text>& texts) {
  const lm::MaskedInput input = value_of(lm::MaskedInput::make(filler, true, 0));
  Questions questions;
  for (const Text& text : texts) {
    const lm::MaskedText masked(filler, text.line, text.tokens);
    for (const std::uint32_t word : text.words) {
      lm::Sequence sequence;
      questions.places.push_back(masked.mask(input, word, false, sequence));
      questions.sequences.push_back(std::move(sequence));
      const Token& token = text.tokens[word];
      questions.words.push_back(text.line.substr(token.begin, token.end - token.begin));
    }
  }
  return questions;
}

// Tokens a minute.
struct Rate {
  double by_clock;
  double by_processor;
};

// Of calls that say how many tokens they did; the first, which touches the weights, does not count.
Rate rate(double seconds, const std::function<std::size_t(std::size_t call)>& body) {
  body(0);
  const double clock = now(CLOCK_MONOTONIC);
  const double processor = now(CLOCK_PROCESS_CPUTIME_ID);
  std::size_t tokens = 0;
  for (std::size_t call = 1; now(CLOCK_MONOTONIC) - clock < seconds; ++call) tokens += body(call);
  const double minutes = 60 * static_cast<double>(tokens);
  return {minutes / (now(CLOCK_MONOTONIC) - clock), minutes / (now(CLOCK_PROCESS_CPUTIME_ID) - processor)};
}

Rate everything_rate(const lm::MaskedModel& model, const Questions& questions, double seconds) {
  std::vector<float> out;
  return rate(seconds, [&](std::size_t call) -> std::size_t {
    // A stride that meets texts of all lengths, however few calls there are.
    const lm::Sequence& sequence = questions.sequences[call * 97 % questions.sequences.size()];
    out.resize(sequence.ids.size() * model.output_size());
    value_of(model.logits_everywhere(sequence, out));
    return 1;
  });
}

Rate mechanism_rate(const lm::MaskedMechanism& mechanism, const std::vector<Text>& texts, double seconds) {
  return rate(seconds, [&](std::size_t call) {
    std::deque<random::ChaChaBitSource> bits;
    std::vector<lm::MaskedDocument> documents;
    std::size_t draws = 0;
    for (const Text& text : std::span(texts).first(call == 0 ? 1 : texts.size())) {
      lm::MaskedDocument& document = documents.emplace_back();
      document.text = text.line;
      document.tokens = text.tokens;
      document.drawn = text.words;
      document.bits = &bits.emplace_back(random::Key{});
      mechanism.prepare(document);
      draws += document.draws;
    }
    value_of(mechanism.rewrite(documents));
    return draws;
  });
}

// Multiplications of bytes a second by one thread, with everything in the first caches.
double best_product_rate() {
  constexpr std::size_t kSize = 384;
  constexpr std::size_t kVectors = 48;
  const std::vector<std::int8_t> bytes(lm::ByteMatrix::kPanel * kSize, 3);
  const std::vector<float> scales(lm::ByteMatrix::kPanel, 1);
  const lm::ByteMatrix matrix(bytes.data(), scales.data(), lm::ByteMatrix::kPanel, kSize);
  const std::vector<float> vector(kSize, 1);
  lm::ByteVectors vectors;
  vectors.reset(kVectors, kSize);
  for (std::size_t i = 0; i < kVectors; ++i) vectors.set(i, vector.data());
  std::vector<float> out(kVectors * lm::ByteMatrix::kPanel);
  double best = 0;
  for (int round = 0; round < 20; ++round) {
    const double begin = now(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < 200; ++i) matrix.multiply(vectors, nullptr, out.data(), lm::ByteMatrix::kPanel);
    const double seconds = now(CLOCK_THREAD_CPUTIME_ID) - begin;
    best = std::max(best, 200.0 * kVectors * lm::ByteMatrix::kPanel * kSize / seconds);
  }
  return best;
}

// Passes over the first window of each text, with the places of its words.
struct Passes {
  std::vector<lm::Sequence> sequences;
  std::vector<std::vector<std::uint32_t>> places;
  std::vector<lm::WordDraw> draws;  // one per place

  Passes some(std::size_t first, std::size_t count, std::size_t first_draw, std::size_t draw_count) const {
    const auto part = [](const auto& all, std::size_t begin, std::size_t size) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin);
      return std::vector(from, from + static_cast<std::ptrdiff_t>(size));
    };
    return {part(sequences, first, count), part(places, first, count), part(draws, first_draw, draw_count)};
  }
};

Passes passes_of(const lm::WordFiller& filler, const std::vector<Text>& texts) {
  const lm::MaskedInput input = value_of(lm::MaskedInput::make(filler, true, 0));
  random::ChaChaBitSource bits(random::Key{});
  Passes passes;
  for (const Text& text : texts) {
    const lm::MaskedText masked(filler, text.line, text.tokens);
    const lm::MaskedText::Window window = masked.window_of(input, 0);
    lm::Sequence sequence;
    const std::vector<std::uint32_t> first_pieces = masked.read(window, sequence).words;
    std::vector<std::uint32_t> places;
    for (const std::uint32_t word : text.words) {
      if (word >= window.end) continue;
      places.push_back(first_pieces[word]);
      const Token& token = text.tokens[word];
      const auto own = filler.find(std::string_view(text.line).substr(token.begin, token.end - token.begin));
      passes.draws.push_back({bits.next() >> 3, own ? filler.logits()[*own] : lm::WordDraw::kNone, 1});
    }
    if (places.empty()) continue;
    passes.places.push_back(std::move(places));
    passes.sequences.push_back(std::move(sequence));
  }
  return passes;
}

// Places scored by passes over whole texts.
Rate one_pass_rate(const lm::MaskedModel& model, const Passes& passes, double seconds) {
  std::vector<float> out(passes.draws.size() * model.output_size());
  return rate(seconds, [&](std::size_t) {
    value_of(model.logits_at(passes.sequences, passes.places, out));
    return passes.draws.size();
  });
}

// As many whole passes as make a good batch.
std::vector<Passes> batches_of(const Passes& passes) {
  constexpr std::size_t kBatch = 1 << 14;
  std::vector<Passes> batches;
  std::size_t first = 0;
  std::size_t first_draw = 0;
  std::size_t draws = 0;
  for (std::size_t i = 0; i < passes.sequences.size(); ++i) {
    draws += passes.places[i].size();
    if (draws < kBatch && i + 1 < passes.sequences.size()) continue;
    batches.push_back(passes.some(first, i + 1 - first, first_draw, draws));
    first = i + 1;
    first_draw += draws;
    draws = 0;
  }
  return batches;
}

// Words that a model draws, with batches from several threads; or, with one draw per text, words that its
// network reads, nearly without what follows.
Rate drawn_rate(const lm::WordDrawer& drawer, const std::vector<Passes>& batches, bool one_per_text,
                unsigned threads, double seconds) {
  return rate(seconds, [&](std::size_t) {
    std::atomic<std::size_t> words = 0;
    base::parallel_for(batches.size(), 1, threads, [&](std::size_t i, std::size_t) {
      Passes some = batches[i];
      words += some.draws.size();
      if (one_per_text)
        for (std::vector<std::uint32_t>& places : some.places) places.resize(1);
      if (one_per_text) some.draws.resize(some.places.size());
      std::vector<std::uint32_t> drawn(some.draws.size());
      value_of(drawer.draw(some.sequences, some.places, some.draws, drawn));
    });
    return words.load();
  });
}

// Draws from scores that were computed before, by one thread.
Rate law_rate(const lm::WordFiller& filler, const Questions& questions, double seconds) {
  const auto model = value_of(filler.model().at_reach(kEpsilon, filler.model().usual_wander().value_or(0)));
  const std::size_t size = model->output_size();
  const std::size_t some = std::min<std::size_t>(questions.sequences.size(), kCompared / 8);
  std::vector<float> scores(some * size);
  value_of(model->logits(std::span(questions.sequences).first(some), std::span(questions.places).first(some),
                         scores));
  const auto law =
      value_of(lm::BalancedLaw::make(*model->bounded_head(), kEpsilon, filler.logits(), model->log_base()));
  random::ChaChaBitSource bits(random::Key{});
  lm::LawMemory memory;
  lm::DrawWeights weights;
  return rate(seconds, [&](std::size_t) {
    for (std::size_t i = 0; i < some; ++i) {
      value_of(law.weigh({std::span(scores).subspan(i * size, size)}, memory, weights));
      (void)law.sample(weights, bits);
    }
    return some;
  });
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

std::ptrdiff_t best_of(std::span<const float> logits) {
  return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

// How often the word that stands in the text has the largest logit.
void report_found(const lm::WordFiller& filler, const Questions& questions, std::span<const float> logits,
                  std::size_t size) {
  std::size_t known = 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < logits.size() / size; ++i) {
    const auto word = filler.find(questions.words[i]);
    if (!word) continue;
    ++known;
    found += best_of(logits.subspan(i * size, size)) == filler.logits()[*word] ? 1 : 0;
  }
  std::printf("      the word itself is the best in %zu of %zu\n", found, known);
}

struct Wanted {
  std::string folder;
  std::vector<Text> texts;
  unsigned threads = 0;
  double seconds = 8;
  std::string what = "all";
  bool is(const char* name) const { return what == "all" || what == name; }
};

// The plugin would leave models stored in 8 bits to the engine if it were not asked itself.
std::shared_ptr<const lm::WordFiller> open_filler(const std::string& how, const Wanted& wanted) {
  const LanguageModelResources resources{how == "cuda" ? Device::cuda : Device::cpu,
                                         how == "engine" ? Precision::automatic
                                         : how == "int8" ? Precision::int8
                                                         : Precision::f32,
                                         wanted.threads};
  if (how != "int8") return value_of(lm::WordFiller::open(wanted.folder, resources));
  std::vector<std::string> words;
  std::ifstream in(std::filesystem::path(wanted.folder) / "words.txt");
  for (std::string line; std::getline(in, line);) words.push_back(line);
  return value_of(lm::WordFiller::make(
      value_of(value_of(lm::language_model_plugin())->open_masked(wanted.folder, resources)),
      value_of(lm::SubwordTokenizer::open(wanted.folder)), words,
      {72, lm::LawKind::balanced, value_of(lm::WordFiller::open(wanted.folder, {}))->modes()}));
}

void report_draws(const lm::WordFiller& filler, const Wanted& wanted,
                  const std::function<void(const char* what, const Rate& rate)>& line) {
  const auto model = value_of(filler.model().at_reach(kEpsilon, filler.model().usual_wander().value_or(0)));
  const auto law =
      value_of(lm::BalancedLaw::make(*model->bounded_head(), kEpsilon, filler.logits(), model->log_base()));
  const auto drawer = value_of(model->drawer(law.public_numbers()));
  const Passes passes = passes_of(filler, wanted.texts);
  const std::vector<Passes> batches = batches_of(passes);
  const unsigned threads = base::thread_count(wanted.threads);
  std::printf("      %zu batches of passes, %zu draws\n", batches.size(), passes.draws.size());
  line("scores, copied to the host", one_pass_rate(*model, batches.front(), wanted.seconds));
  line("network, 1 draw per text", drawn_rate(*drawer, batches, true, threads, wanted.seconds));
  line("network and draws, 1 thread", drawn_rate(*drawer, batches, false, 1, wanted.seconds));
  line("network and draws", drawn_rate(*drawer, batches, false, threads, wanted.seconds));
}

// Returns the logits of some questions.
std::vector<float> report(const std::string& how, const Wanted& wanted) {
  reset_peak_memory();
  const double begin = now(CLOCK_MONOTONIC);
  const auto filler = open_filler(how, wanted);
  const char* const name = how.c_str();
  std::printf("%-5s opened in %.2f s\n", name, now(CLOCK_MONOTONIC) - begin);
  const auto told = value_of(filler->model().at_reach(kEpsilon / 2, 0));
  const lm::MaskedModel& model = told ? *told : filler->model();
  const Questions questions = questions_of(*filler, wanted.texts);
  std::size_t ids = 0;
  for (const lm::Sequence& sequence : questions.sequences) ids += sequence.ids.size();
  std::printf("      %zu texts, %zu words to draw; a question has %.1f tokens on average\n",
              wanted.texts.size(), questions.sequences.size(),
              static_cast<double>(ids) / static_cast<double>(questions.sequences.size()));
  Rate whole{};
  const auto line = [&](const char* what, const Rate& rate) {
    std::printf("%-5s %-28s %8.0f tokens a minute (x %5.2f), %8.0f a minute of a processor (x %5.2f)\n", name,
                what, rate.by_clock, rate.by_clock / whole.by_clock, rate.by_processor,
                rate.by_processor / whole.by_processor);
    std::fflush(stdout);
  };
  if (wanted.is("everything")) {
    whole = everything_rate(model, questions, wanted.seconds);
    line("everything, batch 1", whole);
  }
  for (const lm::MaskedMode mode : filler->modes()) {
    if (!wanted.is(lm::to_string(mode))) continue;
    lm::MaskedOptions options;
    options.epsilon = kEpsilon;
    options.threads = wanted.threads == 0 ? 1 : wanted.threads;
    options.mode = mode;
    std::optional<lm::LogitBounds> bounds;
    if (!told) bounds = lm::LogitBounds{0, 100, false};
    const auto mechanism = value_of(lm::MaskedMechanism::make(filler, options, bounds));
    line(lm::to_string(mode), mechanism_rate(*mechanism, wanted.texts, wanted.seconds));
  }
  if (told && wanted.is("law")) line("the balanced law alone", law_rate(*filler, questions, wanted.seconds));
  if (told && how != "engine" && wanted.is("draws")) report_draws(*filler, wanted, line);
  if (how == "engine" && wanted.is("one-pass")) {
    line("one-pass, the network alone",
         one_pass_rate(model, passes_of(*filler, wanted.texts), wanted.seconds));
    std::printf("      %.1f billion multiplications a second at best, on %s\n", best_product_rate() / 1e9,
                lm::byte_kernel_name());
  }
  std::printf("      at most %.0f MB resident\n", peak_memory());
  const std::size_t some = std::min<std::size_t>(questions.sequences.size(), kCompared);
  std::vector<float> logits(some * model.output_size());
  value_of(model.logits(std::span(questions.sequences).first(some), std::span(questions.places).first(some),
                        logits));
  report_found(*filler, questions, logits, model.output_size());
  return logits;
}

void compare(const std::string& how, const std::vector<float>& exact, const std::vector<float>& bytes,
             std::size_t rows) {
  double largest = 0;
  double square = 0;
  double difference = 0;
  std::size_t agree = 0;
  const std::size_t size = exact.size() / rows;
  for (std::size_t row = 0; row < exact.size(); row += size) {
    for (std::size_t i = row; i < row + size; ++i) {
      const double d = std::abs(exact[i] - bytes[i]);
      largest = std::max(largest, d);
      difference += d * d;
      square += exact[i] * exact[i];
    }
    agree += best_of(std::span(exact).subspan(row, size)) == best_of(std::span(bytes).subspan(row, size));
  }
  std::printf(
      "%s against the first: largest difference %.4f, r.m.s. %.4f of logits with r.m.s. %.3f; the best word "
      "is "
      "the same in %zu of %zu\n",
      how.c_str(), largest, std::sqrt(difference / static_cast<double>(exact.size())),
      std::sqrt(square / static_cast<double>(exact.size())), agree, rows);
}

// A folder that `sotto privatize` opens; output words are those of the tokenizer's folder, over and over.
int make_folder(const std::filesystem::path& folder, const std::filesystem::path& tokenizer) {
  std::filesystem::create_directories(folder);
  for (const char* file : {"vocab.json", "merges.txt"})
    std::filesystem::copy_file(tokenizer / file, folder / file,
                               std::filesystem::copy_options::overwrite_existing);
  std::vector<std::string> words;
  std::ifstream in(tokenizer / "words.txt");
  for (std::string line; std::getline(in, line);) words.push_back(line);
  const testing::RobertaSizes sizes;
  std::ofstream out(folder / "words.txt");
  for (std::uint64_t i = 0; i < sizes.words && !words.empty(); ++i) out << words[i % words.size()] << '\n';
  value_of(testing::RandomRoberta(sizes, 1).write(folder));
  return 0;
}

int run(const Wanted& wanted, const std::string& list) {
  std::size_t rows = 0;
  for (const Text& text : wanted.texts) rows += text.words.size();
  std::vector<float> first;
  std::istringstream names(list);
  for (std::string how; std::getline(names, how, ',');) {
    const std::vector<float> logits = report(how, wanted);
    if (first.empty())
      first = logits;
    else
      compare(how, first, logits, std::min<std::size_t>(rows, kCompared));
  }
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  using namespace sotto;
  const auto argument = [&](int i, const char* fallback) {
    return std::string(i < argc ? argv[i] : fallback);
  };
  if (argc == 4 && argument(1, "") == "--make") return make_folder(argv[2], argv[3]);
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MODEL TEXT [THREADS [SECONDS [HOW [WHAT [TEXTS]]]]]\n", argv[0]);
    return 2;
  }
  const Wanted wanted{argv[1], read_texts(argv[2], std::stoul(argument(7, "32"))),
                      static_cast<unsigned>(std::stoul(argument(3, "0"))), std::stod(argument(4, "8")),
                      argument(6, "all")};
  return run(wanted, argument(5, "engine,f32,int8"));
}
