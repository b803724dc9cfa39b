// Nearest words of noisy vectors, a second: Sotto's exact integer search and faiss's IndexFlatL2 on the same
// vectors, queries and threads. Prints a table; each figure is the best of several runs taken in turn.
//
//   bench_nearest [THREADS [ROUNDS]]
#include "embed/nearest.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <faiss/IndexFlat.h>
#include <fmt/format.h>
#include <omp.h>

#include "base/parallel.hpp"

// Null where the BLAS library is another one.
extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));

namespace {

constexpr std::size_t kDimension = 300;
constexpr std::size_t kClusters = 200;
constexpr double kUnit = 600;             // grid steps in one unit of the space
constexpr double kLongestCoordinate = 8;  // in units

struct Vectors {
  std::vector<std::int16_t> fixed;
  std::vector<float> real;
};

// Words of a few hundred topics, of lengths around 20 units that differ as those of words do.
Vectors make_vectors(std::size_t size, std::mt19937& generator) {
  std::normal_distribution<double> normal;
  std::vector<double> centres(kClusters * kDimension);
  for (double& x : centres) x = 0.5 * normal(generator);
  Vectors vectors;
  for (std::size_t i = 0; i < size; ++i) {
    const double length = std::clamp(1 + 0.3 * normal(generator), 0.3, 2.0);
    const double* centre = centres.data() + generator() % kClusters * kDimension;
    for (std::size_t c = 0; c < kDimension; ++c) {
      const double x =
          std::clamp(length * (centre[c] + normal(generator)), -kLongestCoordinate, kLongestCoordinate);
      vectors.fixed.push_back(static_cast<std::int16_t>(std::lround(x * kUnit)));
      vectors.real.push_back(static_cast<float>(vectors.fixed.back()));
    }
  }
  return vectors;
}

struct Queries {
  std::vector<std::int32_t> fixed;
  std::vector<float> real;
};

// Random words plus noise of a uniform direction and a radius of law Gamma(dimension, 1/ε).
Queries make_queries(const Vectors& vectors, std::size_t count, double epsilon, std::mt19937& generator) {
  std::normal_distribution<double> normal;
  std::gamma_distribution<double> radius(kDimension, 1 / epsilon);
  Queries queries;
  std::vector<double> direction(kDimension);
  for (std::size_t i = 0; i < count; ++i) {
    double square = 0;
    for (double& x : direction) {
      x = normal(generator);
      square += x * x;
    }
    const double factor = radius(generator) / std::sqrt(square) * kUnit;
    const std::size_t word = generator() % (vectors.fixed.size() / kDimension);
    for (std::size_t c = 0; c < kDimension; ++c) {
      const double x = vectors.fixed[word * kDimension + c] + factor * direction[c];
      queries.fixed.push_back(static_cast<std::int32_t>(std::lround(x)));
      queries.real.push_back(static_cast<float>(queries.fixed.back()));
    }
  }
  return queries;
}

template <class Body>
double seconds(Body body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

enum class Threading { inside, outside };

// faiss can use its threads inside a search, where those of the BLAS library and of OpenMP may wait for each
// other, or each thread can search for its share of the queries. Either may be the faster one.
void set_faiss_threads(unsigned threads) {
  omp_set_num_threads(static_cast<int>(threads));
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(static_cast<int>(threads));
}

struct Bench {
  const sotto::NearestSearch& search;
  const faiss::IndexFlatL2& index;
  const Queries& queries;
  unsigned threads;
  std::size_t k;

  // Calls body(begin, end) for one share of the queries a thread.
  template <class Body>
  void split(Body body) const {
    const std::size_t count = queries.fixed.size() / kDimension;
    sotto::parallel_for(count, (count + threads - 1) / threads, threads, body);
  }

  double time_sotto(std::vector<sotto::Neighbour>& out) const {
    return seconds([&] {
      split([&](std::size_t begin, std::size_t end) {
        search.nearest(std::span(queries.fixed).subspan(begin * kDimension, (end - begin) * kDimension), k,
                       std::span(out).subspan(begin * k, (end - begin) * k));
      });
    });
  }

  double time_faiss(std::size_t batch, Threading threading, std::vector<std::int64_t>& rows) const {
    std::vector<float> distances(rows.size());
    const auto search_range = [&](std::size_t begin, std::size_t end) {
      for (; begin < end; begin += batch)
        index.search(static_cast<std::int64_t>(std::min(batch, end - begin)),
                     queries.real.data() + begin * kDimension, static_cast<std::int64_t>(k),
                     distances.data() + begin * k, rows.data() + begin * k);
    };
    if (threading == Threading::inside) {
      set_faiss_threads(threads);
      return seconds([&] { search_range(0, queries.real.size() / kDimension); });
    }
    set_faiss_threads(1);
    return seconds([&] {
      split([&](std::size_t begin, std::size_t end) {
        omp_set_num_threads(1);  // a setting of the calling thread
        search_range(begin, end);
      });
    });
  }

  void print_row(std::size_t size, double epsilon, int rounds) const {
    const std::size_t count = queries.fixed.size() / kDimension;
    std::vector<sotto::Neighbour> found(count * k);
    std::vector<std::int64_t> rows(count * k);
    double sotto_time = HUGE_VAL;
    double faiss_times[4] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t way = 0; way < 4; ++way) {
        sotto_time = std::min(sotto_time, time_sotto(found));
        const double time =
            time_faiss(way % 2 == 0 ? 256 : 1024, way < 2 ? Threading::inside : Threading::outside, rows);
        faiss_times[way] = std::min(faiss_times[way], time);
      }
    }
    std::size_t same = 0;
    for (std::size_t i = 0; i < found.size(); ++i) same += found[i].row == rows[i];
    const auto rate = [&](double time) { return static_cast<double>(count) / time; };
    fmt::print("{:>7} {:>4} {:>3} {:>9.0f} {:>9.0f} {:>9.0f} {:>9.0f} {:>9.0f} {:>6.1f} {:>7.2f}%\n", size,
               epsilon, k, rate(sotto_time), rate(faiss_times[0]), rate(faiss_times[1]), rate(faiss_times[2]),
               rate(faiss_times[3]), *std::min_element(faiss_times, faiss_times + 4) / sotto_time,
               100.0 * static_cast<double>(same) / static_cast<double>(found.size()));
    std::fflush(stdout);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads =
      sotto::thread_count(argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 2);
  const int rounds = argc > 2 ? static_cast<int>(std::strtol(argv[2], nullptr, 10)) : 5;
  fmt::print(
      "queries a second, {} threads, {} dimensions; faiss IndexFlatL2 in batches of 256 and 1024, with\n"
      "threads inside a search (in) or one search a thread (out); ratio to the fastest of the four\n",
      threads, kDimension);
  fmt::print("{:>7} {:>4} {:>3} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>8}\n", "words", "eps", "k", "sotto",
             "in 256", "in 1024", "out 256", "out 1024", "ratio", "same row");
  std::mt19937 generator(1);
  for (const std::size_t size : {13598, 34573, 100000}) {
    const Vectors vectors = make_vectors(size, generator);
    const auto search = sotto::NearestSearch::create(vectors.fixed, kDimension);
    if (!search) return EXIT_FAILURE;
    faiss::IndexFlatL2 index(kDimension);
    index.add(static_cast<std::int64_t>(size), vectors.real.data());
    for (const double epsilon : {1.0, 10.0}) {
      const Queries queries = make_queries(vectors, 2048, epsilon, generator);
      for (const std::size_t k : {1, 2})
        Bench{*search, index, queries, threads, k}.print_row(size, epsilon, rounds);
    }
  }
  return EXIT_SUCCESS;
}
