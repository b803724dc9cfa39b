// Foreign programs: their answers, and every way in which they may fail to give one.
#include "audit/falsify/foreign_command.hpp"

#include <chrono>

#include "support/result_matchers.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::audit;

TEST(ForeignCommand, AnswersLineByLine) {
  const auto lines = run_command("cat", "soup", 100'000, 60).value();
  EXPECT_EQ(lines.size(), 100'000U);
  for (const std::string& line : lines) ASSERT_EQ(line, "soup");
  EXPECT_EQ(run_command("tr a-z A-Z", "café", 2, 60).value(), (std::vector<std::string>{"CAFé", "CAFé"}));
  EXPECT_EQ(run_command("sed 's/$/\\r/'", "dos", 1, 60).value(), (std::vector<std::string>{"dos"}));
  EXPECT_EQ(run_command("printf 'a\\nb'", "last line without its end", 2, 60).value(),
            (std::vector<std::string>{"a", "b"}));
}

// Commands that write only after reading everything, that never read, and that open their input by name.
TEST(ForeignCommand, ReadsAndWritesInAnyOrder) {
  EXPECT_EQ(run_command("sort", "w", 200'000, 60).value().size(), 200'000U);
  EXPECT_EQ(run_command("yes | head -n 200000", "w", 200'000, 60).value().size(), 200'000U);
  EXPECT_EQ(run_command("cat /dev/stdin", "w", 10, 60).value().size(), 10U);
}

TEST(ForeignCommand, Failures) {
  expect_error(run_command("no-such-program-here", "w", 3, 60), Errc::io, "command", {"cannot be run"});
  expect_error(run_command("echo out of cheese >&2; exit 3", "w", 3, 60), Errc::io,
               {"ended with status 3", "out of cheese"});
  expect_error(run_command("kill -SEGV $$", "w", 3, 60), Errc::io, {"signal 11"});
  expect_error(run_command("head -n 2", "w", 3, 60), Errc::bad_format, {"wrote 2 lines for 3 words"});
  expect_error(run_command("sed p", "w", 3, 60), Errc::bad_format, {"wrote 6 lines for 3 words"});
  expect_error(run_command("true", "w", 3, 60), Errc::bad_format, {"wrote 0 lines"});
  expect_error(run_command("printf 'a\\n\\377\\376\\nb\\n'", "w", 3, 60), Errc::bad_format,
               {"line 2", "UTF-8"});
  expect_error(run_command("printf 'a\\000b\\n'", "w", 1, 60), Errc::bad_format, {"line 1"});
  expect_error(run_command("yes", "w", 3, 60), Errc::bad_format, {"more than"});
  expect_error(run_command("head -c 2000 /dev/zero | tr '\\0' x", "w", 3, 60), Errc::bad_format, {"line 1"});
}

TEST(ForeignCommand, OneThatHangsIsStoppedWithAllItStarted) {
  const auto start = std::chrono::steady_clock::now();
  expect_error(run_command("sleep 600 & sleep 600", "w", 3, 0.3), Errc::io,
               {"did not end within 0.3 seconds"});
  expect_error(run_command("cat; exec >&-; sleep 600", "w", 3, 0.3), Errc::io, {"did not end"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace sotto::testing
