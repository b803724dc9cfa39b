#include "lm/torch/blas.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include <dlfcn.h>

#include "lm/torch/plugin_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::lm;
using lm::blas_traits;
using lm::BlasTraits;
using lm::BlasTurn;

// ---- Traits derived from what a library reports

int no_threads() {
  return 0;
}
int own_threads() {
  return 1;
}
int openmp_threads() {
  return 2;
}
const char* config() {
  return "OpenBLAS 0.3.21 Zen";
}

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

BlasTraits traits_of(const std::map<std::string, void*>& library) {
  return blas_traits([&](const char* name) {
    const auto found = library.find(name);
    return found == library.end() ? nullptr : found->second;
  });
}

TEST(Blas, OnlyAnOpenblasWithoutThreadsCannotBeShared) {
  EXPECT_FALSE(traits_of({{"openblas_get_parallel", address(no_threads)}}).shareable);
  EXPECT_TRUE(traits_of({{"openblas_get_parallel", address(own_threads)}}).shareable);
  EXPECT_TRUE(traits_of({{"openblas_get_parallel", address(openmp_threads)}}).shareable);
  EXPECT_TRUE(traits_of({}).shareable);
}

TEST(Blas, ItsOwnDescriptionIsTaken) {
  EXPECT_EQ(traits_of({{"openblas_get_config", address(config)}}).description, "OpenBLAS 0.3.21 Zen");
  EXPECT_EQ(traits_of({}).description, "");
}

// The largest number of threads that were inside at the same time.
int most_together(const BlasTraits& blas) {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        const BlasTurn turn(blas);
        const BlasTurn nested(blas);
        const int now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        --inside;
      }
    });
  for (std::thread& thread : threads) thread.join();
  return most;
}

TEST(Blas, ThreadsTakeTurnsWhereItCannotBeShared) {
  EXPECT_EQ(most_together({.shareable = false, .description = {}}), 1);
  EXPECT_GT(most_together({.shareable = true, .description = {}}), 1);
}

// ---- The BLAS that libtorch uses

using Gemm = void (*)(const char*, const char*, const int*, const int*, const int*, const float*,
                      const float*, const int*, const float*, const int*, const float*, float*, const int*);
using Syrk = void (*)(const char*, const char*, const int*, const int*, const float*, const float*,
                      const int*, const float*, float*, const int*);

constexpr float kOne = 1;
constexpr float kZero = 0;

// Products of matrices that differ per thread, so that two threads in one buffer do not write the same
// numbers by chance.
class Products {
 public:
  Products(Gemm gemm, Syrk syrk, std::uint32_t seed) : gemm_(gemm), syrk_(syrk) {
    for (std::vector<float>* matrix : {&a_, &b_})
      for (float& number : *matrix) {
        seed = seed * 1664525 + 1013904223;
        number = static_cast<float>(seed >> 8) * 0x1p-24F - 0.5F;
      }
    multiply(first_large_, first_small_);
  }

  // How many of the products differ from the first ones.
  std::size_t repeat(std::size_t times) const {
    std::size_t wrong = 0;
    std::vector<float> large(first_large_.size());
    std::vector<float> small(first_small_.size());
    for (std::size_t i = 0; i < times; ++i) {
      multiply(large, small);
      wrong += (large != first_large_) + (small != first_small_);
    }
    return wrong;
  }

 private:
  static constexpr int kLarge = 96;
  // On some processors, kernels multiply small matrices entirely in registers; this product needs a buffer.
  static constexpr int kSmall = 32;

  void multiply(std::vector<float>& large, std::vector<float>& small) const {
    gemm_("N", "N", &kLarge, &kLarge, &kLarge, &kOne, a_.data(), &kLarge, b_.data(), &kLarge, &kZero,
          large.data(), &kLarge);
    for (int i = 0; i < 8; ++i)
      syrk_("U", "N", &kSmall, &kSmall, &kOne, a_.data() + i, &kSmall, &kZero, small.data(), &kSmall);
  }

  Gemm gemm_;
  Syrk syrk_;
  std::vector<float> a_ = std::vector<float>(kLarge * kLarge);
  std::vector<float> b_ = a_;
  std::vector<float> first_large_ = a_;
  std::vector<float> first_small_ = std::vector<float>(kSmall * kSmall);
};

class LoadedBlas : public testing::PluginTest {};

TEST_F(LoadedBlas, ThreadsDoNotSpoilEachOthersProducts) {
#ifdef SOTTO_TEST_PLUGINS
  const std::string file = std::string(SOTTO_TEST_PLUGINS) + "/libsotto_lm_torch.so";
  void* const plugin = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(plugin, nullptr) << ::dlerror();
  const auto gemm = reinterpret_cast<Gemm>(::dlsym(plugin, "sgemm_"));
  const auto syrk = reinterpret_cast<Syrk>(::dlsym(plugin, "ssyrk_"));
  if (gemm == nullptr || syrk == nullptr) GTEST_SKIP() << "this libtorch shows nobody its BLAS";
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kTimes = 10'000;
  std::vector<Products> products;
  for (std::uint32_t i = 0; i < kThreads; ++i) products.emplace_back(gemm, syrk, i);
  std::vector<std::size_t> wrong(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { wrong[i] = products[i].repeat(kTimes); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<std::size_t>(kThreads)) << "of " << 2 * kTimes << " each";
#endif
}

}  // namespace
}  // namespace sotto
