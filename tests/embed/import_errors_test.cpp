#include <limits>

#include <gtest/gtest.h>

#include "embed/import_fixture.hpp"

namespace sotto {
namespace {

using testing::bytes_of;
using testing::expect_error;
using testing::ImportTest;

TEST_F(ImportTest, RefusesWrongOptions) {
  ImportOptions given = options("a 1\n");
  given.bits = 12;
  expect_error(import_vectors(given), Errc::invalid_argument, {"bits", "12", "8 or 16"});
  given = options("a 1\n");
  given.vectors = path("absent");
  expect_error(import_vectors(given), Errc::not_found, {"absent"});
  given = options("a 1\n");
  given.output = path("no-such-folder") / "m.safetensors";
  expect_error(import_vectors(given), Errc::not_found, {"no-such-folder"});
  expect_error(import_vectors({}), Errc::invalid_argument, {"vector file"});
}

TEST_F(ImportTest, RefusesBrokenText) {
  expect_refused("", {"empty"});
  expect_refused("word\n", {"line 1", "neither GloVe nor word2vec"});
  expect_refused("a b c\n", {"line 1", "neither GloVe nor word2vec"});
  expect_refused("a 1 2\nb 1\n", {"line 2", "1 columns", "2 expected"});
  expect_refused("a 1 2\nb 1 2 3\n", {"line 2", "3 columns", "2 expected"});
  expect_refused("a 1 2\nb 1 x\n", {"line 2", "column 2", "not a number"});
  expect_refused("a 1 2\nb 1 2x\n", {"line 2", "column 2", "not a number"});
  expect_refused("a 1 2\nb 1 nan\n", {"line 2", "not finite"});
  expect_refused("a 1 2\nb 1 -inf\n", {"line 2", "not finite"});
  expect_refused("a 1 2\nb 1 1e39\n", {"line 2", "not finite"});
  expect_refused("a 1 2\nb 1 1e999\n", {"line 2", "not finite"});
  expect_refused("a 1 2\n\nb 1 2\n", {"line 2", "empty"});
  expect_refused("a 1 2\n 1 2\n", {"line 2", "empty"});
  expect_refused("a 1 2\nb 1 2\na 3 4\n", {"line 3", "second time"});
  expect_refused("a 1 2\n\xC3 3 4\n", {"line 2", "UTF-8"});
  expect_refused(std::string("a 1 2\nb\0c 3 4\n", 15), {"line 2", "zero byte"});
  expect_refused("a 0 0\nb 0 -0\n", {"all vectors are zero"});
  expect_refused("a 1 2\n" + std::string(2 << 20, 'x'), {"line 2", "longer"});
}

TEST_F(ImportTest, RefusesBrokenHeaders) {
  expect_refused("3 0\na 1\n", {"line 1", "dimension 0"});
  expect_refused("3 40000\na 1\n", {"line 1", "dimension 40000"});
  expect_refused("0 2\n", {"line 1", "no words"});
  expect_refused("1000000000000 300\na 1\n", {"line 1", "1000000000000 words"});
  expect_refused("99999999999999999999999 300\na 1\n", {"line 1", "words, more than"});
  // A large but allowed promise must not cost memory.
  expect_refused("4000000000 2\na 1 2\n", {"promises 4000000000 words", "ends after 1"});
  expect_refused("3 2\na 1 2\nb 1 2\n", {"promises 3 words", "ends after 2"});
  expect_refused("1 2\na 1 2\nb 1 2\n", {"line 3", "promises 1 words"});
  expect_refused("2 2\n", {"promises 2 words", "ends after 0"});
}

TEST_F(ImportTest, RefusesBrokenBinaries) {
  const std::string one = "a " + bytes_of(1.0F) + bytes_of(-2.0F);
  expect_refused("2 2\n" + one, {"record 2", "ends at byte", "promises 2 words"});
  expect_refused("2 2\n" + one + "\nb", {"record 2", "ends at byte"});
  expect_refused("2 2\n" + one + "\nb \x01\x02\x03", {"record 2", "inside a vector"});
  expect_refused("1 2\n" + one + "\n" + one, {"promises 1 words", "more data"});
  expect_refused("2 2\n" + one + "\n" + one, {"record 2", "second time"});
  expect_refused("4000000000 30000\n" + one, {"record 1", "inside a vector"});
  expect_refused("2 2\n" + one + "\n\xC3 " + bytes_of(1.0F) + bytes_of(1.0F), {"record 2", "UTF-8"});
  expect_refused("2 2\n" + one + "\n" + bytes_of(1.0F) + std::string(1 << 17, 'x'), {"record 2", "no blank"});
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    expect_refused("2 2\n" + one + "\nb " + bytes_of(bad) + bytes_of(1.0F), {"record 2", "not finite"});
}

TEST_F(ImportTest, RefusesBrokenArchives) {
  expect_refused("PK\x03\x04 and so on", {"zip", "unpack"});
  expect_refused("BZh91AY&SY and so on", {"damaged bzip2"});
  expect_refused("\x1F\x8B\x08 this is not gzip at all", {"gzip"});
  expect_refused("\x28\xB5\x2F\xFD this is not zstd at all", {"zstd"});
  const std::string xz("\xFD\x37zXZ\0", 6);
  expect_refused(xz, {"xz", "ends too early"});
  expect_refused(xz + " this is not xz at all, whatever it says", {"damaged xz"});
}

TEST_F(ImportTest, RefusesBrokenVocabularies) {
  const auto refused = [&](std::string_view content, const std::vector<std::string>& parts) {
    ImportOptions given = options("a 1 2\nb 3 4\n");
    given.vocabulary = write("vocabulary", content);
    SCOPED_TRACE(content);
    expect_refused(given, parts);
  };
  refused("", {"empty"});
  refused("a\nb\na\n", {"line 3", "second time"});
  refused("a\n\nb\n", {"line 2", "empty"});
  refused("a b\n", {"line 1", "blank"});
  refused("a\t1\nb\n", {"line 2", "count"});
  refused("a\nb\t1\n", {"line 2", "count"});
  refused("a\tx\n", {"line 1", "not a count"});
  refused("a\t-1\n", {"line 1", "not a count"});
  refused("\xFF\n", {"line 1", "UTF-8"});
  refused("x\ny\n", {"no word of it is wanted"});
}

TEST_F(ImportTest, ExportRefusesListSets) {
  const auto model = import("a 1 2\nb 3 4\n");
  ListOptions lists;
  lists.models = {model->path()};
  lists.output = path("lists.safetensors");
  ASSERT_TRUE(build_lists(lists));
  const auto set = Model::open(lists.output);
  ASSERT_TRUE(set);
  expect_error(export_vectors(**set, path("e"), ExportFormat::word2vec_text), Errc::invalid_argument,
               {"list set"});
}

}  // namespace
}  // namespace sotto
