// A preview shows documents and rewrites them, and leaves no trace.
#include <gtest/gtest.h>

#include <sotto/preview.hpp>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class Previews : public PipelineTest {
 protected:
  Previews() {
    std::string text;
    for (int i = 0; i < 50; ++i) text += "the soup was cold waiter bad good the soup was cold\n";
    write("in.txt", text);
  }

  static std::string afters(const Preview& preview) {
    std::string text;
    for (const PreviewedDocument& document : preview.documents) text += document.after + '\n';
    return text;
  }
};

TEST_F(Previews, TheNoiseIsNotThatOfARun) {
  PrivatizeOptions keyed = options(0.1);
  PrivatizeOptions seeded = keyed;
  seeded.key_file.reset();
  seeded.seed = 7;
  for (const PrivatizeOptions& with : {keyed, seeded}) {
    const std::string released = run(with, files("in.txt", "out"));
    const Preview first = preview_files(with, files("in.txt", "unused"), 50).value();
    const Preview second = preview_files(with, files("in.txt", "unused"), 50).value();
    ASSERT_EQ(first.documents.size(), 50U);
    // 550 words of 510 at ε = 0.1: equal by chance with probability far below 1e-6.
    EXPECT_NE(afters(first), released);
    EXPECT_NE(afters(second), released);
    EXPECT_NE(afters(first), afters(second));
    EXPECT_FALSE(first.receipt.seeded);
    EXPECT_FALSE(first.receipt.keyed);
  }
  EXPECT_FALSE(exists("unused"));
}

TEST_F(Previews, NothingIsReadOrWrittenBesidesTheInput) {
  PrivatizeOptions with = options();
  with.key_file = path("absent.key");
  with.unique_ids = true;
  write("in.jsonl", "{\"text\": \"the soup\"}\n");
  FileOptions all = files("in.jsonl", "out");
  all.fields = {"text"};
  all.report = path("report");
  all.statistics = path("statistics");
  all.ledger = LedgerOptions{.file = path("ledger"), .subject_field = "nobody", .limit = 1};
  all.resume = true;
  const auto preview = preview_files(with, all, 3);
  ASSERT_TRUE(preview) << describe(preview.error());
  EXPECT_EQ(preview->documents.size(), 1U);
  for (const char* const name : {"out", "report", "statistics", "ledger"}) EXPECT_FALSE(exists(name)) << name;
}

TEST_F(Previews, DocumentsAreDecodedAndNamed) {
  write("in.csv", "id,a,b\n1,\"the \"\"soup\"\"\",cold\n2,\"was,\nbad\",\n");
  FileOptions with = files("in.csv", "unused");
  with.fields = {"b", "a"};
  const Preview preview = preview_files(options(), with, 3).value();
  ASSERT_EQ(preview.documents.size(), 3U);
  EXPECT_EQ(preview.documents[0].field, "a");
  EXPECT_EQ(preview.documents[0].before, "the \"soup\"");
  EXPECT_EQ(preview.documents[1].before, "cold");
  EXPECT_EQ(preview.documents[2].before, "was,\nbad");
  EXPECT_EQ(preview.documents[2].record, 2U);
  EXPECT_EQ(preview.documents[2].after.substr(preview.documents[2].after.find(',')).substr(0, 2), ",\n");
  EXPECT_EQ(preview.receipt.counts.documents, 3U);
}

TEST_F(Previews, SeveralInputsAndShortOnes) {
  write("a.txt", "the soup\n");
  write("b.txt", "cold\nbad\n");
  FileOptions with;
  with.inputs = {path("a.txt"), path("b.txt")};
  EXPECT_EQ(preview_files(options(), with, 2).value().documents.size(), 2U);
  const Preview all = preview_files(options(), with, 100).value();
  ASSERT_EQ(all.documents.size(), 3U);
  EXPECT_EQ(all.documents[1].before, "cold");
  EXPECT_EQ(all.documents[1].record, 1U);
  write("empty.txt", "");
  EXPECT_TRUE(preview_files(options(), files("empty.txt", "unused"), 5).value().documents.empty());
  FileOptions absent = files("absent.txt", "unused");
  expect_error(preview_files(options(), absent, 1), Errc::not_found, {"absent.txt"});
}

}  // namespace
}  // namespace sotto
