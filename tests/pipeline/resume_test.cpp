#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/pipeline_fixture.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class Resume : public PipelineTest {
 protected:
  Resume() {
    std::string text = "id,text\n";
    for (int i = 0; text.size() < 2'000'000; ++i)
      text += std::to_string(i) + ",the soup was cold and the waiter bad\n";
    write("in.csv", text);
  }

  FileOptions resumable() const {
    FileOptions with = files("in.csv", "out.csv");
    with.fields = {"text"};
    with.resume = true;
    with.threads = 2;
    return with;
  }

  /// Runs until `bytes` are done, then stops as Ctrl-C would.
  void interrupt_after(std::uint64_t bytes) const {
    FileOptions with = resumable();
    with.progress = [bytes](std::uint64_t done, std::uint64_t) { return done < bytes; };
    const auto result = privatize_files(options(), with);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Errc::interrupted);
    EXPECT_FALSE(exists("out.csv"));
  }
};

TEST_F(Resume, GoesOnWhereItStoppedAndEqualsAnUndisturbedRun) {
  FileOptions whole = files("in.csv", "whole.csv");
  whole.fields = {"text"};
  Receipt undisturbed = privatize_files(options(), whole).value();
  for (int i = 0; i < 3; ++i) interrupt_after(300'000);
  EXPECT_TRUE(exists("out.csv.partial"));
  std::uint64_t first = 0;
  FileOptions last = resumable();
  last.progress = [&](std::uint64_t done, std::uint64_t) {
    if (first == 0) first = done;
    return true;
  };
  Receipt resumed = privatize_files(options(), last).value();
  EXPECT_GT(first, 500'000U) << "what was done must not be done again";
  EXPECT_EQ(read("out.csv"), read("whole.csv"));
  EXPECT_FALSE(exists("out.csv.partial"));
  EXPECT_FALSE(exists("out.csv.checkpoint"));
  undisturbed.seconds = resumed.seconds = 0;
  EXPECT_EQ(to_json(resumed), to_json(undisturbed));
}

TEST_F(Resume, BytesBeyondTheNoteAreCutOff) {
  interrupt_after(500'000);
  std::ofstream(path("out.csv.partial"), std::ios::app) << "half a rec";
  run(options(), resumable());
  FileOptions whole = files("in.csv", "whole.csv");
  whole.fields = {"text"};
  EXPECT_EQ(read("out.csv"), run(options(), whole));
}

TEST_F(Resume, RefusesOtherSettings) {
  interrupt_after(500'000);
  const auto other = privatize_files(options(2), resumable());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::invalid_argument);
  EXPECT_NE(other.error().message.find("other settings"), std::string::npos);
  write("out.csv.checkpoint", "garbage");
  EXPECT_NE(privatize_files(options(), resumable()).error().message.find("damaged"), std::string::npos);
}

TEST_F(Resume, RefusesPlacesThatWouldWrapAround) {
  interrupt_after(500'000);
  const nlohmann::json note = nlohmann::json::parse(read("out.csv.checkpoint"));
  for (const auto& [key, value] : {std::pair("input", "4294967296"), std::pair("offset", "-1"),
                                   std::pair("record", "0.5"), std::pair("output_bytes", "1e300")}) {
    nlohmann::json damaged = note;
    damaged[key] = nlohmann::json::parse(value);
    write("out.csv.checkpoint", damaged.dump());
    const auto resumed = privatize_files(options(), resumable());
    ASSERT_FALSE(resumed) << key;
    EXPECT_NE(resumed.error().message.find("damaged"), std::string::npos) << key;
  }
}

TEST_F(Resume, NeedsKeyOutputAndFiles) {
  PrivatizeOptions no_key = options();
  no_key.key_file.reset();
  EXPECT_FALSE(privatize_files(no_key, resumable()));
  FileOptions no_output = resumable();
  no_output.output.reset();
  EXPECT_FALSE(privatize_files(options(), no_output));
  FileOptions no_input = resumable();
  no_input.inputs.clear();
  EXPECT_FALSE(privatize_files(options(), no_input));
}

}  // namespace
}  // namespace sotto
