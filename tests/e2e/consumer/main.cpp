// Privatizes the first argument with the model named by the second.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include <sotto/sotto.hpp>

namespace {

/// Always the same word.
class Ones final : public sotto::BitSource {
  void refill() override {
    next_ = &word_;
    end_ = next_ + 1;
  }

  std::uint64_t word_ = 1;
};

/// Keeps every word. What it inherits comes from the library.
class Unchanged final : public sotto::Mechanism {
 public:
  std::unique_ptr<sotto::PendingTokens> make_pending() const override { return std::make_unique<Tokens>(); }
  sotto::Guarantee guarantee() const override { return {}; }
  std::vector<double> row(sotto::TokenId) const override { return {}; }

 private:
  class Tokens final : public sotto::PendingTokens {
   public:
    void add(std::span<const sotto::TokenId> in, sotto::BitSource& bits) override {
      for (const sotto::TokenId id : in) ids_.push_back(static_cast<sotto::TokenId>(id * bits.next()));
    }
    void resolve(std::span<sotto::TokenId> out) override {
      std::copy(ids_.begin(), ids_.end(), out.begin());
      ids_.clear();
    }

   private:
    std::vector<sotto::TokenId> ids_;
  };
};

bool own_mechanism_works() {
  const Unchanged mechanism;
  const std::vector<sotto::TokenId> in = {3, 1};
  std::vector<sotto::TokenId> out(in.size());
  Ones bits;
  mechanism.privatize(in, out, bits);
  return out == in && std::isinf(mechanism.distance(3, 1)) && mechanism.covers(3);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  if (!own_mechanism_works() || std::strcmp(sotto::kVersion, sotto::library_version()) != 0) return 1;
  sotto::PrivatizeOptions options;
  options.epsilon = 1;
  options.model = argv[2];
  const auto privatizer = sotto::Privatizer::make(options);
  if (!privatizer) {
    std::fprintf(stderr, "%s\n", describe(privatizer.error()).c_str());
    return 1;
  }
  sotto::Counts counts;
  const auto text = (*privatizer)->privatize({"consumer", "1", ""}, argv[1], counts);
  if (!text) return 1;
  std::printf("%s\n%llu\n%s\n", text->c_str(), static_cast<unsigned long long>(counts.privatized),
              sotto::library_version());
}
