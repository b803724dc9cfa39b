// A Privatizer that lives through fork(): fresh noise is fresh in every process, and noise under a key is the
// same.
#include <array>
#include <functional>
#include <set>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class ForkTest : public PipelineTest {
 protected:
  ForkTest() {
    for (std::size_t i = 0; i < 40; ++i) text_ += words_[i * 7] + ' ';
    write("in.txt", text_ + '\n');
  }

  using Rewrite = std::function<std::string(const Privatizer&)>;

  /// Each way to rewrite the text.
  std::vector<Rewrite> ways() const {
    const Document document{{"set", "1", "text"}, text_};
    const auto single = [document](const Privatizer& privatizer) {
      Counts counts;
      return privatizer.privatize(document.name, document.text, counts).value();
    };
    const auto batch = [document](const Privatizer& privatizer) {
      std::array<std::string, 1> output;
      Counts counts;
      EXPECT_TRUE(privatizer.privatize({&document, 1}, output, counts, {.threads = 1}));
      return output[0];
    };
    const auto file = [this](const Privatizer& privatizer) {
      FileOptions over = files("in.txt", "out." + std::to_string(getpid()));
      over.threads = 1;
      EXPECT_TRUE(privatize_files(privatizer, over));
      return base::read_file(*over.output).value();
    };
    return {single, batch, file};
  }

  /// noexcept: a child that goes on after an exception would run the tests again.
  [[noreturn]] static void answer(int pipe_end, const std::function<std::string()>& work) noexcept {
    const std::string text = work();
    _exit(::write(pipe_end, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }

  /// What `work` returns in a child of this process.
  static std::string in_child(const std::function<std::string()>& work) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) answer(ends[1], work);
    ::close(ends[1]);
    std::array<char, 4096> bytes{};
    std::string text;
    for (ssize_t got = 0; (got = ::read(ends[0], bytes.data(), bytes.size())) > 0;)
      text.append(bytes.data(), static_cast<std::size_t>(got));
    ::close(ends[0]);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return text;
  }

  /// What two children, a grandchild and this process make of the text.
  static std::vector<std::string> in_family(const Privatizer& privatizer, const Rewrite& rewrite) {
    const auto here = [&] { return rewrite(privatizer); };
    return {in_child(here), in_child(here), in_child([&] { return in_child(here); }), here()};
  }

  std::string text_;
};

TEST_F(ForkTest, FreshNoiseIsFreshInEveryProcess) {
  PrivatizeOptions fresh = options(0.1);
  fresh.key_file.reset();
  for (const Rewrite& rewrite : ways()) {
    const auto privatizer = Privatizer::make(fresh).value();
    const std::vector<std::string> outputs = in_family(*privatizer, rewrite);
    EXPECT_EQ(std::set<std::string>(outputs.begin(), outputs.end()).size(), outputs.size());
  }
}

TEST_F(ForkTest, AKeyOrASeedGivesTheSameEverywhere) {
  PrivatizeOptions seeded = options(0.1);
  seeded.key_file.reset();
  seeded.seed = 7;
  for (const PrivatizeOptions& with : {options(0.1), seeded})
    for (const Rewrite& rewrite : ways()) {
      const auto privatizer = Privatizer::make(with).value();
      const std::vector<std::string> outputs = in_family(*privatizer, rewrite);
      EXPECT_EQ(std::set<std::string>(outputs.begin(), outputs.end()).size(), 1U);
    }
}

TEST_F(ForkTest, AChildThatOpensItsOwnHasFreshNoiseToo) {
  PrivatizeOptions fresh = options(0.1);
  fresh.key_file.reset();
  const auto own = [&] { return rewrite(text_, fresh); };
  EXPECT_NE(in_child(own), in_child(own));
}

}  // namespace
}  // namespace sotto
