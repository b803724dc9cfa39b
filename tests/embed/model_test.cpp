#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sotto/model.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/tree_hash.hpp"
#include "embed/model_file_builder.hpp"
#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

using testing::expect_error;
using testing::RawFile;

class ModelTest : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name = "m.safetensors") const {
    return folder_.path() / name;
  }
  Result<std::shared_ptr<const Model>> open(const std::string& bytes) const {
    testing::write_bytes(path(), bytes);
    return Model::open(path());
  }
  /// Expects the file to be refused with a message that names it.
  void expect_refused(const std::string& bytes, const std::string& part) const {
    SCOPED_TRACE(part);
    expect_error(open(bytes), Errc::bad_format, {path().string(), part});
  }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(ModelTest, HoldsWhatWasWritten) {
  const testing::VectorModel parts = testing::tiny_model_parts();
  const auto model = testing::write_tiny_model(path("tiny.safetensors"));
  EXPECT_EQ(model->name(), "tiny");
  EXPECT_EQ(model->path(), path("tiny.safetensors"));
  ASSERT_EQ(model->size(), 12U);
  EXPECT_EQ(model->bottom(), 12U);
  for (TokenId id = 0; id < 12; ++id) EXPECT_EQ(model->word(id), parts.words[id]);
  EXPECT_TRUE(std::equal(parts.counts.begin(), parts.counts.end(), model->counts().begin()));
  EXPECT_EQ(model->dimension(), 4U);
  EXPECT_EQ(model->bits(), 16);
  EXPECT_EQ(model->scale(), 1.0 / 1024);
  EXPECT_TRUE(model->vectors8().empty());
  ASSERT_EQ(model->vectors16().size(), 48U);
  for (std::size_t i = 0; i < 48; ++i) EXPECT_EQ(model->vectors16()[i], parts.vectors[i]);
  const std::vector<std::pair<std::string, std::string>> metadata = {{"licence", "CC0-1.0"},
                                                                     {"source", "made for tests"}};
  EXPECT_EQ(model->metadata(), metadata);
  EXPECT_TRUE(model->lists().empty());
  EXPECT_TRUE(model->verify());
}

TEST_F(ModelTest, EightBitModel) {
  const auto model = testing::write_vector_model(
      path(), {.words = {"x", "y"}, .vectors = {127, -127, -127, 127}, .scale = 0.1, .bits = 8});
  EXPECT_EQ(model->bits(), 8);
  EXPECT_TRUE(model->vectors16().empty());
  EXPECT_EQ(model->squared_distance(0, 1), 2 * 254 * 254);
  EXPECT_EQ(model->scale(), 0.1) << "the scale is stored exactly";
  EXPECT_TRUE(model->counts().empty());
}

TEST_F(ModelTest, SquaredDistancesAreExactBeyond32Bits) {
  const auto model = testing::write_vector_model(path(), {.words = {"x", "y"}, .vectors = {32767, -32767}});
  EXPECT_EQ(model->squared_distance(0, 1), std::int64_t{65534} * 65534);
}

// The requirements of safetensors, checked on the raw bytes.
TEST_F(ModelTest, FileIsAValidSafetensorsFile) {
  testing::write_tiny_model(path());
  const std::string bytes = base::read_file(path()).value();
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  ASSERT_EQ(bytes[8], '{');
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  for (const auto& [key, value] : header["__metadata__"].items()) EXPECT_TRUE(value.is_string()) << key;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> ranges;
  const std::map<std::string, std::uint64_t> sizes = {
      {"U64", 8}, {"U32", 4}, {"I16", 2}, {"U8", 1}, {"I8", 1}};
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__") continue;
    std::uint64_t size = sizes.at(tensor["dtype"]);
    EXPECT_EQ(tensor["data_offsets"][0].get<std::uint64_t>() % size, 0U) << name << " is aligned";
    for (const std::uint64_t extent : tensor["shape"]) size *= extent;
    EXPECT_EQ(tensor["data_offsets"][1].get<std::uint64_t>() - tensor["data_offsets"][0].get<std::uint64_t>(),
              size);
    ranges[tensor["data_offsets"][0]] = {tensor["data_offsets"][1], name};
  }
  std::uint64_t position = 0;
  for (const auto& [begin, end] : ranges) {
    EXPECT_EQ(begin, position) << end.second;
    position = end.first;
  }
  EXPECT_EQ(position, bytes.size() - 8 - length) << "no holes, nothing left over";
  EXPECT_EQ(ranges.size(), 4U);
}

TEST_F(ModelTest, StoredDigestIsThatOfTheFileWithZerosInItsPlace) {
  const auto model = testing::write_tiny_model(path());
  std::string bytes = base::read_file(path()).value();
  const std::size_t at = bytes.find(model->stored_sha256());
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 64, 64, '0');
  EXPECT_EQ(base::to_hex(base::sha256(bytes)), model->stored_sha256());
}

TEST_F(ModelTest, DigestIsComputedFromAllBytes) {
  const auto model = testing::write_tiny_model(path());
  const std::string bytes = base::read_file(path()).value();
  EXPECT_EQ(model->digest(), base::tree_hash(bytes));
  const std::size_t header_end = bytes.find("  ");
  for (std::size_t i = 0; i < bytes.size(); i += i < header_end ? 7 : 1) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    if (const auto other = open(changed)) {
      EXPECT_NE((*other)->digest(), model->digest()) << "byte " << i;
    }
  }
}

TEST_F(ModelTest, ReplacedFileLeavesAnOpenedModelAsItIs) {
  const auto model = testing::write_tiny_model(path());
  const std::string digest = model->digest();
  testing::VectorModel other = testing::tiny_model_parts();
  other.vectors[0] += 1;
  EXPECT_NE(testing::write_vector_model(path(), other)->digest(), digest);
  EXPECT_EQ(model->vectors16()[0], testing::tiny_model_parts().vectors[0]);
  EXPECT_TRUE(model->verify());
}

TEST_F(ModelTest, VerifyFindsEveryChangedByte) {
  testing::write_tiny_model(path());
  const std::string bytes = base::read_file(path()).value();
  const std::size_t header_end = bytes.find("  ");
  int opened = 0;
  // Every byte of the data, and some of the header, where open() may already refuse a change.
  for (std::size_t i = 0; i < bytes.size(); i += i < header_end ? 7 : 1) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const auto model = open(changed);
    if (!model) continue;
    ++opened;
    EXPECT_FALSE((*model)->verify()) << "byte " << i;
  }
  EXPECT_GT(opened, 100);
}

// Words are output verbatim: a tab or a line end inside one would forge cells and records.
TEST_F(ModelTest, HostileWords) {
  const auto refused = [&](const std::vector<std::string>& words, const std::string& part) {
    RawFile file;
    file.header["__metadata__"] = testing::valid_raw_model().header["__metadata__"];
    std::vector<std::uint64_t> offsets = {0};
    std::string pool;
    for (const std::string& word : words) offsets.push_back((pool += word).size());
    file.add<std::uint64_t>("offsets", "U64", {offsets.size()}, offsets);
    file.add<std::int16_t>("vectors", "I16", {words.size(), 1}, std::vector<std::int16_t>(words.size(), 1));
    file.add<char>("words", "U8", {pool.size()}, {pool.begin(), pool.end()});
    expect_refused(file.bytes(), part);
  };
  refused({"x", "y", "x"}, "words 0 and 2 are both 'x'");
  const std::string long_word(40, 'w');
  refused({long_word, "y", long_word}, "words 0 and 2");
  refused({"x", "\xFF"}, "word 1 is not UTF-8");
  refused({"x", "\xC3", "\xA9"}, "word 1 is not UTF-8");   // a character cut in two by the offsets
  refused({"x", "y\xED\xA0\x80"}, "word 1 is not UTF-8");  // a surrogate
  for (const char* blank : {" ", "a b", "a\tb", "a\nb", "\r", "a\v", "\f"})
    refused({"x", blank}, "word 1 has a blank inside");
  refused({"x", std::string("a\0b", 3)}, "word 1 has a zero byte inside");
  for (const char* control : {"a\x01", "\x1B[2J", "a\x7F", "a\xC2\x85z", "\xE2\x80\xA8", "\xE2\x80\xA9"})
    refused({"x", control}, "word 1 has a control character inside");
}

TEST_F(ModelTest, CountsDoNotOverflow) {
  RawFile file;
  file.header["__metadata__"] = testing::valid_raw_model().header["__metadata__"];
  file.add<std::uint64_t>("offsets", "U64", {3}, {0, 1, 2});
  file.add<std::uint64_t>("counts", "U64", {2}, {std::uint64_t{1} << 63, std::uint64_t{1} << 63});
  file.add<std::int16_t>("vectors", "I16", {2, 1}, {1, 2});
  file.add<char>("words", "U8", {2}, {'a', 'b'});
  expect_refused(file.bytes(), "counts add up");
}

TEST_F(ModelTest, VerifyRefusesVectorsThatAreTooLong) {
  const auto too_long =
      testing::write_vector_model(path("l.safetensors"), {.words = {"x"}, .vectors = {32767, 32767, 32767}});
  expect_error(too_long->verify(), Errc::bad_format, {"norm"});
}

TEST_F(ModelTest, ReadsAFileMadeByHand) {
  const auto model = open(testing::valid_raw_model().bytes());
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ((*model)->word(2), "ccc");
  ASSERT_EQ((*model)->lists().size(), 2U);
  EXPECT_EQ((*model)->lists()[0].source, "x");
  EXPECT_EQ((*model)->lists()[1].source, "y");
  EXPECT_EQ((*model)->lists()[1].order[0], 1U);
  EXPECT_EQ((*model)->scale(), 0.5);
}

TEST_F(ModelTest, UnreadableFiles) {
  expect_error(Model::open(path("absent.safetensors")), Errc::not_found, {"absent.safetensors"});
  expect_error(Model::open(path().parent_path()), Errc::io, {path().parent_path().string()});
  expect_refused("", "shorter than 8 bytes");
  expect_refused("abc", "shorter than 8 bytes");
}

TEST_F(ModelTest, HostileContainers) {
  const RawFile valid = testing::valid_raw_model();
  const std::string bytes = valid.bytes();
  std::string huge = bytes;
  huge.replace(0, 8, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8);
  expect_refused(huge, "header of 18446744073709551615 bytes");
  std::string longer = bytes;
  longer.replace(0, 8, std::string("\x00\x00\x01\x00\x00\x00\x00\x00", 8));
  expect_refused(longer, "truncated");
  // A file is refused wherever it is truncated.
  for (std::size_t size = 0; size < bytes.size(); size += 5)
    EXPECT_FALSE(open(bytes.substr(0, size))) << size << " bytes";
  expect_refused(bytes + "x", "tensors take");
  expect_refused(valid.bytes_with("[1, 2]"), "not a JSON object");
  expect_refused(valid.bytes_with("{\"a\":"), "not a JSON object");
  expect_refused(valid.bytes_with(std::string(1 << 20, '[')), "not a JSON object");
  std::string nested = "{\"a\":";
  for (int i = 0; i < 100000; ++i) nested += '[';
  for (int i = 0; i < 100000; ++i) nested += ']';
  expect_refused(valid.bytes_with(nested + "}"), "not a JSON object");
}

// Changes one entry of a valid header at a time and expects a refusal.
TEST_F(ModelTest, HostileHeaders) {
  const auto refused = [&](const std::function<void(nlohmann::ordered_json&)>& change,
                           const std::string& part) {
    RawFile file = testing::valid_raw_model();
    change(file.header);
    expect_refused(file.bytes(), part);
  };
  refused([](auto& h) { h["words"]["dtype"] = "C64"; }, "type 'C64'");
  refused([](auto& h) { h["words"]["dtype"] = 7; }, "has no type");
  refused([](auto& h) { h["words"]["shape"] = {7}; }, "do not make 6 bytes");
  refused([](auto& h) { h["words"]["shape"] = {-6}; }, "whole numbers");
  refused([](auto& h) { h["words"]["shape"] = {1e3}; }, "whole numbers");
  refused([](auto& h) { h["words"].erase("shape"); }, "no array 'shape'");
  refused([](auto& h) { h["vectors"]["shape"] = {std::uint64_t{1} << 63, 2}; }, "do not make 12 bytes");
  refused([](auto& h) { h["words"]["data_offsets"] = {92, 99}; }, "outside the file's");
  refused([](auto& h) { h["words"]["data_offsets"] = {98, 92}; }, "outside the file's");
  refused([](auto& h) { h["words"]["data_offsets"] = {92}; }, "outside the file's");
  refused([](auto& h) { h["words"]["data_offsets"] = {0, 6}; }, "overlap");
  refused([](auto& h) { h.erase("counts"); }, "gap");
  refused([](auto& h) { h["vectors"]["data_offsets"] = {81, 93}; }, "aligned");
  refused([](auto& h) { h["words"] = 3; }, "tensor 'words'");
  refused([](auto& h) { h["__metadata__"] = 3; }, "__metadata__");
  refused([](auto& h) { h["__metadata__"]["x"] = 3; }, "metadata 'x'");
}

TEST_F(ModelTest, HostileMetadata) {
  const auto refused = [&](const char* key, const char* value, const std::string& part) {
    RawFile file = testing::valid_raw_model();
    file.header["__metadata__"][key] = value;
    expect_refused(file.bytes(), part);
  };
  refused("format", "other", "not a model of Sotto");
  refused("version", "2", "version '2'");
  refused("sha256", "abc", "'sha256'");
  for (const char* scale : {"", "0", "-0", "-1", "nan", "inf", "1e999", "1x", "1e-61", "1e61", "5e-324"})
    refused("scale", scale, "'scale'");
  refused("list_sources", "x", "'list_sources'");
  refused("list_sources", "[1,2]", "'list_sources'");
  refused("list_sources", R"(["x"])", "2 lists");
}

TEST_F(ModelTest, HostileTensors) {
  const auto refused = [&](const std::function<void(RawFile&)>& fill, const std::string& part) {
    RawFile file;
    file.header["__metadata__"] = testing::valid_raw_model().header["__metadata__"];
    fill(file);
    expect_refused(file.bytes(), part);
  };
  const auto with_words = [](RawFile& file, const std::vector<std::uint64_t>& offsets) {
    file.add<std::uint64_t>("offsets", "U64", {offsets.size()}, offsets);
    file.add<char>("words", "U8", {3}, {'a', 'b', 'c'});
  };
  refused([](RawFile&) {}, "needs tensors");
  refused([](RawFile& f) { f.add<char>("words", "U8", {1}, {'a'}); }, "needs tensors");
  refused([&](RawFile& f) { with_words(f, {0}); }, "empty");
  refused([&](RawFile& f) { with_words(f, {1, 2, 3}); }, "start at 0");
  refused([&](RawFile& f) { with_words(f, {0, 2}); }, "end at the size");
  refused([&](RawFile& f) { with_words(f, {0, 2, 1, 3}); }, "do not ascend");
  refused([&](RawFile& f) { with_words(f, {0, 2, 2, 3}); }, "do not ascend");
  refused([&](RawFile& f) { with_words(f, {0, ~std::uint64_t{0}, 3}); }, "do not ascend");
  refused([&](RawFile& f) { with_words(f, {0, 1, 3}); }, "neither vectors nor lists");
}

TEST_F(ModelTest, HostileVectorsAndLists) {
  // Two words, and one tensor that does not fit them.
  const auto refused = [&](const std::function<void(RawFile&)>& fill, const std::string& part) {
    RawFile file;
    file.header["__metadata__"] = testing::valid_raw_model().header["__metadata__"];
    file.add<std::uint64_t>("offsets", "U64", {3}, {0, 1, 2});
    fill(file);
    file.add<char>("words", "U8", {2}, {'a', 'b'});
    expect_refused(file.bytes(), part);
  };
  refused([](RawFile& f) { f.add<std::uint64_t>("counts", "U64", {1}, {1}); }, "tensor 'counts'");
  refused([](RawFile& f) { f.add<std::int16_t>("vectors", "I16", {2}, {1, 2}); }, "dimension 1 to 32768");
  refused([](RawFile& f) { f.add<std::int16_t>("vectors", "I16", {2, 0}, {}); }, "dimension 1 to 32768");
  refused([](RawFile& f) { f.add<std::int16_t>("vectors", "I16", {1, 2}, {1, 2}); }, "shape [2, 2]");
  refused([](RawFile& f) { f.add<std::uint32_t>("vectors", "U32", {2, 1}, {1, 2}); }, "type I16");
  refused(
      [](RawFile& f) {
        f.add<std::uint32_t>("lists", "U32", {2, 2}, {0, 1, 1, 2});
      },
      "list 1 holds word 2 of 2");
  refused(
      [](RawFile& f) {
        f.add<std::uint32_t>("lists", "U32", {2, 2}, {0, 0, 1, 0});
      },
      "list 0 holds word 0 twice");
  refused([](RawFile& f) { f.add<std::uint32_t>("lists", "U32", {1, 4}, {0, 1, 1, 0}); }, "tensor 'lists'");
  refused([](RawFile& f) { f.add<std::uint32_t>("lists", "U32", {0, 2}, {}); }, "'lists' is empty");
}

}  // namespace
}  // namespace sotto
