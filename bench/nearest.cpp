// Nearest words of noisy vectors, a second: Sotto's exact integer search and faiss's IndexFlatL2 on the same
// vectors, queries and threads. Prints a table; each figure is the best of several runs taken in turn.
//
//   bench_nearest [THREADS [ROUNDS [MODEL.safetensors...]]]
//
// Without a model: random vectors around random centres, of three sizes.
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

#include <sotto/error_text.hpp>
#include <sotto/model.hpp>

#include "base/parallel.hpp"

// Null where the BLAS library is another one.
extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));

namespace {

constexpr std::size_t kRandomDimension = 300;
constexpr std::size_t kClusters = 200;
constexpr double kRandomUnit = 600;       // grid steps in one unit of the space
constexpr double kLongestCoordinate = 8;  // in units
constexpr std::size_t kWork = 1 << 28;    // pairs of query and word in one measurement

struct Vectors {
  std::size_t dimension;
  double unit;
  std::vector<std::int16_t> fixed;

  std::size_t size() const { return fixed.size() / dimension; }
};

Vectors read_vectors(const sotto::Model& model) {
  Vectors vectors{model.dimension(), 1 / model.scale(), {}};
  if (model.bits() == 16)
    vectors.fixed.assign(model.vectors16().begin(), model.vectors16().end());
  else
    vectors.fixed.assign(model.vectors8().begin(), model.vectors8().end());
  return vectors;
}

// Words of a few hundred topics, of lengths around 20 units that differ as those of words do.
Vectors make_vectors(std::size_t size, std::mt19937& generator) {
  std::normal_distribution<double> normal;
  std::vector<double> centres(kClusters * kRandomDimension);
  for (double& x : centres) x = 0.5 * normal(generator);
  Vectors vectors{kRandomDimension, kRandomUnit, {}};
  for (std::size_t i = 0; i < size; ++i) {
    const double length = std::clamp(1 + 0.3 * normal(generator), 0.3, 2.0);
    const double* centre = centres.data() + generator() % kClusters * kRandomDimension;
    for (std::size_t c = 0; c < kRandomDimension; ++c) {
      const double x =
          std::clamp(length * (centre[c] + normal(generator)), -kLongestCoordinate, kLongestCoordinate);
      vectors.fixed.push_back(static_cast<std::int16_t>(std::lround(x * kRandomUnit)));
    }
  }
  return vectors;
}

struct Queries {
  std::vector<std::int32_t> fixed;
  std::vector<float> real;
};

// Random words plus noise of a uniform direction and a radius of law Gamma(dimension, 1/ε).
Queries make_queries(const Vectors& vectors, double epsilon, std::mt19937& generator) {
  std::normal_distribution<double> normal;
  std::gamma_distribution<double> radius(static_cast<double>(vectors.dimension), 1 / epsilon);
  Queries queries;
  std::vector<double> direction(vectors.dimension);
  for (std::size_t i = 0; i < kWork / vectors.size(); ++i) {
    double square = 0;
    for (double& x : direction) {
      x = normal(generator);
      square += x * x;
    }
    const double factor = radius(generator) / std::sqrt(square) * vectors.unit;
    const std::size_t word = generator() % vectors.size();
    for (std::size_t c = 0; c < vectors.dimension; ++c) {
      const double x = vectors.fixed[word * vectors.dimension + c] + factor * direction[c];
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
  const sotto::embed::NearestSearch& search;
  const faiss::IndexFlatL2& index;
  const Queries& queries;
  unsigned threads;
  std::size_t k;

  // Calls body(begin, end) for one share of the queries a thread.
  template <class Body>
  void split(Body body) const {
    const std::size_t count = queries.fixed.size() / search.dimension();
    sotto::base::parallel_for(count, (count + threads - 1) / threads, threads, body);
  }

  double time_sotto(std::vector<sotto::embed::Neighbour>& out) const {
    return seconds([&] {
      split([&](std::size_t begin, std::size_t end) {
        const std::size_t dimension = search.dimension();
        search.nearest(std::span(queries.fixed).subspan(begin * dimension, (end - begin) * dimension), k,
                       std::span(out).subspan(begin * k, (end - begin) * k));
      });
    });
  }

  double time_faiss(std::size_t batch, Threading threading, std::vector<std::int64_t>& rows) const {
    std::vector<float> distances(rows.size());
    const auto search_range = [&](std::size_t begin, std::size_t end) {
      for (; begin < end; begin += batch)
        index.search(static_cast<std::int64_t>(std::min(batch, end - begin)),
                     queries.real.data() + begin * search.dimension(), static_cast<std::int64_t>(k),
                     distances.data() + begin * k, rows.data() + begin * k);
    };
    if (threading == Threading::inside) {
      set_faiss_threads(threads);
      return seconds([&] { search_range(0, queries.real.size() / search.dimension()); });
    }
    set_faiss_threads(1);
    return seconds([&] {
      split([&](std::size_t begin, std::size_t end) {
        omp_set_num_threads(1);  // a setting of the calling thread
        search_range(begin, end);
      });
    });
  }

  void print_row(double epsilon, int rounds) const {
    const std::size_t count = queries.fixed.size() / search.dimension();
    std::vector<sotto::embed::Neighbour> found(count * k);
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
    const double inside = std::min(faiss_times[0], faiss_times[1]);
    const double outside = std::min(faiss_times[2], faiss_times[3]);
    fmt::print(
        "{:>7} {:>4} {:>4} {:>3} {:>9.0f} {:>9.0f} {:>9.0f} {:>9.0f} {:>9.0f} {:>6.1f} {:>6.1f} {:>7.2f}%\n",
        search.size(), search.dimension(), epsilon, k, rate(sotto_time), rate(faiss_times[0]),
        rate(faiss_times[1]), rate(faiss_times[2]), rate(faiss_times[3]), inside / sotto_time,
        outside / sotto_time, 100.0 * static_cast<double>(same) / static_cast<double>(found.size()));
    std::fflush(stdout);
  }
};

void measure(const Vectors& vectors, unsigned threads, int rounds, std::mt19937& generator) {
  const auto search = sotto::embed::NearestSearch::create(vectors.fixed, vectors.dimension);
  if (!search) {
    fmt::print(stderr, "{}\n", describe(search.error()));
    std::exit(EXIT_FAILURE);
  }
  faiss::IndexFlatL2 index(static_cast<std::int64_t>(vectors.dimension));
  const std::vector<float> real(vectors.fixed.begin(), vectors.fixed.end());
  index.add(static_cast<std::int64_t>(vectors.size()), real.data());
  for (const double epsilon : {1.0, 10.0}) {
    const Queries queries = make_queries(vectors, epsilon, generator);
    for (const std::size_t k : {1, 2}) Bench{*search, index, queries, threads, k}.print_row(epsilon, rounds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads =
      sotto::base::thread_count(argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 2);
  const int rounds = argc > 2 ? static_cast<int>(std::strtol(argv[2], nullptr, 10)) : 5;
  fmt::print(
      "queries a second, {} threads; faiss IndexFlatL2 in batches of 256 and 1024, with threads inside a\n"
      "search (in) or one search a thread (out); ratios to the faster batch of each\n",
      threads);
  fmt::print("{:>7} {:>4} {:>4} {:>3} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>6} {:>8}\n", "words", "dim",
             "eps", "k", "sotto", "in 256", "in 1024", "out 256", "out 1024", "/in", "/out", "same row");
  std::mt19937 generator(1);
  for (int i = 3; i < argc; ++i) {
    const auto model = sotto::Model::open(argv[i]);
    if (!model) {
      fmt::print(stderr, "{}\n", describe(model.error()));
      return EXIT_FAILURE;
    }
    measure(read_vectors(**model), threads, rounds, generator);
  }
  if (argc > 3) return EXIT_SUCCESS;
  for (const std::size_t size : {13598, 34573, 100000})
    measure(make_vectors(size, generator), threads, rounds, generator);
  return EXIT_SUCCESS;
}
