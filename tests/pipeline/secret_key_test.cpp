// A key in memory is the key of a key file with the same bytes.
#include <gtest/gtest.h>

#include <sotto/preview.hpp>

#include "support/pipeline_fixture.hpp"
#include "support/result_matchers.hpp"

namespace sotto {
namespace {

using namespace sotto::testing;

class KeyInMemory : public PipelineTest {
 protected:
  KeyInMemory() {
    std::string text;
    for (int i = 0; i < 200; ++i)
      text += "{\"id\": " + std::to_string(i) + ", \"text\": \"the soup was cold\"}\n";
    write("in.jsonl", text);
  }

  /// With the bytes of the file that the fixture has written.
  PrivatizeOptions in_memory(double epsilon = 1) const {
    PrivatizeOptions with = options(epsilon);
    with.key_file.reset();
    with.key = SecretKey::make(std::string(32, 'k')).value();
    return with;
  }

  FileOptions records(const std::string& output) const {
    FileOptions with = files("in.jsonl", output);
    with.fields = {"text"};
    with.id_field = "id";
    return with;
  }
};

TEST_F(KeyInMemory, GivesTheOutputAndReceiptOfAKeyFile) {
  const std::string from_file = run(options(), records("file.jsonl"));
  EXPECT_EQ(run(in_memory(), records("memory.jsonl")), from_file);
  PrivatizeOptions other = in_memory();
  other.key = SecretKey::make(std::string(31, 'k') + 'j').value();
  EXPECT_NE(run(other, records("other.jsonl")), from_file);

  const auto receipt_of = [](const PrivatizeOptions& with) {
    return Privatizer::make(with).value()->receipt();
  };
  EXPECT_TRUE(receipt_of(in_memory()).keyed);
  EXPECT_FALSE(receipt_of(in_memory()).seeded);
  EXPECT_EQ(to_json(receipt_of(in_memory())), to_json(receipt_of(options())));
}

TEST_F(KeyInMemory, IsEnoughForALedgerAndToResume) {
  FileOptions with = records("out.jsonl");
  with.ledger = LedgerOptions{.file = path("ledger"), .subject_field = "id", .limit = 100};
  with.resume = true;
  EXPECT_TRUE(privatize_files(in_memory(), with));
  with.output = path("again.jsonl");
  const auto again = privatize_files(options(), with);  // the key file: the same documents, charged already
  ASSERT_TRUE(again);
  EXPECT_EQ(read("again.jsonl"), read("out.jsonl"));
  EXPECT_EQ(again->counts.withheld, 0U);
  const auto summary = Ledger::open(path("ledger")).value()->summary().value();
  EXPECT_EQ(summary.entries, 200U);
}

TEST_F(KeyInMemory, IsForgottenByPreviews) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "the soup was cold waiter bad good the soup was cold\n";
  write("in.txt", text);
  const std::string released = run(in_memory(0.1), files("in.txt", "out"));
  const Preview preview = preview_files(in_memory(0.1), files("in.txt", "unused"), 50).value();
  std::string shown;
  for (const PreviewedDocument& document : preview.documents) shown += document.after + '\n';
  // 550 words of 510 at ε = 0.1: equal by chance with probability far below 1e-6.
  EXPECT_NE(shown, released);
  EXPECT_FALSE(preview.receipt.keyed);
}

TEST_F(KeyInMemory, ExcludesKeyFileAndSeed) {
  PrivatizeOptions both = in_memory();
  both.key_file = path("key");
  expect_error(Privatizer::make(both), Errc::invalid_argument, "key", {"together with key_file"});
  PrivatizeOptions seeded = in_memory();
  seeded.seed = 1;
  expect_error(Privatizer::make(seeded), Errc::invalid_argument, "seed", {"together with key;"});
}

TEST(SecretKeys, Have32Bytes) {
  for (const std::size_t size : {0, 1, 31, 33, 64})
    expect_error(SecretKey::make(std::string(size, 'a')), Errc::invalid_argument, "key",
                 {std::to_string(size) + " bytes", "32"});
}

TEST(SecretKeys, ShareOnePlace) {
  const SecretKey key = SecretKey::make(std::string("0123456789\0bcdefghijklmnopqrstuv", 32)).value();
  PrivatizeOptions options;
  options.key = key;
  const PrivatizeOptions copied = options;
  EXPECT_EQ(&copied.key->bytes(), &key.bytes()) << "copies of options do not multiply the secret";
  EXPECT_EQ(key.bytes()[10], 0);
  EXPECT_EQ(key.bytes()[31], 'v');
}

}  // namespace
}  // namespace sotto
