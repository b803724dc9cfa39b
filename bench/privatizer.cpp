// Words per second of Privatizer on a batch in memory and of privatize_files on the same texts, for several
// mechanisms. The batch fills new strings, the other writes a new file: to /dev/null, where no output needs
// memory, it would have less to do. The two alternate, so that a noisy machine disturbs both; the ratio is
// the median over the rounds.
//   bench_privatizer TEXT [ROUNDS]    TEXT: one document per line
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <sotto/sotto.hpp>

namespace {

using Clock = std::chrono::steady_clock;

struct Subject {
  const char* mechanism;
  std::size_t documents;  // as many as take about a second
};

constexpr Subject kSubjects[] = {
    {"diffractor-geometric", 50'000}, {"cmp", 400}, {"santext", 5'000}, {"dp-mlm", 4}};

template <class T>
T value_of(sotto::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", sotto::describe(result.error()).c_str());
  std::exit(1);
}

double seconds(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Seconds that a batch in memory takes; `words` receives the words it rewrote.
double batch_seconds(const sotto::Privatizer& privatizer, const std::vector<std::string>& texts,
                     std::uint64_t& words) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < texts.size(); ++i) ids.push_back(std::to_string(i + 1));
  std::vector<sotto::Document> documents;
  for (std::size_t i = 0; i < texts.size(); ++i) documents.push_back({{"bench", ids[i], ""}, texts[i]});
  std::vector<std::string> outputs(texts.size());
  sotto::Counts counts;
  const auto begin = Clock::now();
  const auto done = privatizer.privatize(documents, outputs, counts);
  const double taken = seconds(begin);
  if (!done) {
    std::fprintf(stderr, "%s\n", sotto::describe(done.error()).c_str());
    std::exit(1);
  }
  words = counts.privatized;
  return taken;
}

double file_seconds(const sotto::Privatizer& privatizer, const std::string& file) {
  sotto::FileOptions files;
  files.inputs = {file};
  files.output = file + ".out";
  const auto begin = Clock::now();
  value_of(sotto::privatize_files(privatizer, files));
  return seconds(begin);
}

void compare(const Subject& subject, const std::vector<std::string>& all, int rounds) {
  const std::vector<std::string> texts(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(subject.documents, all.size())));
  const std::string file = "bench_privatizer.txt";
  std::ofstream out(file);
  for (const std::string& text : texts) out << text << '\n';
  out.close();

  sotto::PrivatizeOptions options;
  options.mechanism.name = subject.mechanism;
  options.mechanism.epsilon = 10;
  options.seed = 1;
  const auto privatizer = value_of(sotto::Privatizer::make(options));
  std::uint64_t words = 0;
  (void)batch_seconds(*privatizer, texts, words);  // tables and caches
  std::vector<double> in_memory;
  std::vector<double> files;
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    in_memory.push_back(batch_seconds(*privatizer, texts, words));
    files.push_back(file_seconds(*privatizer, file));
    ratios.push_back(files.back() / in_memory.back());
  }
  const auto rate = [&](const std::vector<double>& times) {
    return static_cast<double>(words) / median(times);
  };
  std::printf("%-22s %12.0f %12.0f %8.2f\n", subject.mechanism, rate(in_memory), rate(files), median(ratios));
  std::fflush(stdout);
  std::remove(file.c_str());
  std::remove((file + ".out").c_str());
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "bench_privatizer TEXT [ROUNDS]\n");
    return 2;
  }
  std::ifstream in(arguments[1]);
  std::vector<std::string> texts;
  for (std::string line; std::getline(in, line);) texts.push_back(line);
  std::printf("%-22s %12s %12s %8s\n", "words per second", "in memory", "files", "ratio");
  for (const Subject& subject : kSubjects) compare(subject, texts, count > 2 ? std::atoi(arguments[2]) : 9);
}
