#include "base/compression.hpp"

#include <gtest/gtest.h>

#include "base/compressed_input.hpp"
#include "base/compressor.hpp"
#include "support/folder_test.hpp"

namespace sotto {
namespace {

using namespace sotto::base;

constexpr Compression kAll[] = {Compression::gzip, Compression::zstd, Compression::xz, Compression::bzip2};

std::string packed(std::string_view data, Compression compression, std::size_t piece = 1 << 20) {
  const auto compressor = Compressor::make(compression).value();
  std::string out;
  for (std::size_t i = 0; i < data.size(); i += piece)
    EXPECT_TRUE(compressor->write(data.substr(i, piece), out));
  EXPECT_TRUE(compressor->finish(out));
  return out;
}

/// Not too regular, and longer than any buffer on the way.
std::string long_text() {
  std::string text;
  for (std::uint32_t i = 0; text.size() < 900'000; ++i) text += std::to_string(i * 2654435761U) + " soup\n";
  return text;
}

class Compressed : public testing::FolderTest {
 protected:
  std::string error_of(const std::string& name, std::string_view content) const {
    const auto read = read_content(write(name, content));
    EXPECT_FALSE(read) << name;
    return read ? "" : read.error().message;
  }
};

TEST_F(Compressed, ComesBackWhateverThePiecesAndHasTheSameBytes) {
  const std::string text = long_text();
  for (const Compression compression : kAll) {
    const std::string file = packed(text, compression);
    EXPECT_LT(file.size(), text.size());
    EXPECT_EQ(packed(text, compression, 777), file) << to_string(compression);
    EXPECT_EQ(read_content(write("any-name", file)).value(), text) << to_string(compression);
  }
}

TEST_F(Compressed, NothingIsAFileToo) {
  for (const Compression compression : kAll) {
    const std::string file = packed("", compression);
    EXPECT_FALSE(file.empty());
    EXPECT_EQ(read_content(write("empty", file)).value(), "") << to_string(compression);
  }
}

TEST_F(Compressed, FilesOneAfterAnotherAreOne) {
  for (const Compression compression : kAll)
    EXPECT_EQ(read_content(write("two", packed("one\n", compression) + packed("", compression) +
                                            packed("two\n", compression)))
                  .value(),
              "one\ntwo\n");
}

// Every cut is noticed, wherever it is.
TEST_F(Compressed, ACutFileIsAnError) {
  for (const Compression compression : kAll) {
    const std::string file = packed("The soup was cold, and so was the waiter.\n", compression);
    for (std::size_t size = kLongestMagic; size < file.size(); ++size)
      EXPECT_NE(error_of("cut", file.substr(0, size)).find("ends too early"), std::string::npos)
          << to_string(compression) << " " << size;
  }
}

TEST_F(Compressed, ADamagedFileIsAnErrorThatNamesThePlace) {
  const std::string text = long_text();
  for (const Compression compression : kAll) {
    std::string file = packed(text, compression);
    for (std::size_t i = 0; i < 16; ++i) file[file.size() / 2 + i] ^= 0x55;
    const std::string error = error_of("damaged", file);
    EXPECT_NE(error.find("damaged"), std::string::npos) << to_string(compression) << error;
    EXPECT_NE(error.find("near byte"), std::string::npos) << to_string(compression) << error;
    EXPECT_NE(error_of("more", packed("soup", compression) + "garbage after it").find("damaged"),
              std::string::npos)
        << to_string(compression);
  }
}

TEST_F(Compressed, ANameThatPromisesCompressionIsHeldToIt) {
  for (const std::string name : {"a.gz", "a.zst", "a.xz", "a.bz2", "a.GZ"}) {
    EXPECT_NE(error_of(name, "plain text\n").find("not compressed, though its name says"), std::string::npos);
    EXPECT_NE(error_of(name, "").find("empty, though"), std::string::npos);
    // What it is counts, not which of them.
    EXPECT_EQ(read_content(write(name, packed("soup", Compression::zstd))).value(), "soup");
  }
}

TEST(CompressionKind, ByContentAsSoonAsPossibleAndNotForText) {
  EXPECT_EQ(compression_by_content("\x1F\x8B\x08"), Compression::gzip);
  EXPECT_EQ(compression_by_content("\x5F\x2A\x4D\x18"), Compression::zstd);  // a frame to be skipped
  for (const std::string text : {"BZhang is a name", "BZh91AY&S", "BZh", "7zip", "(\xB5/", "\x1F", ""})
    EXPECT_EQ(compression_by_content(text), Compression::none) << text;
  EXPECT_EQ(compression_by_content("BZh91AY&SY"), Compression::bzip2);
  for (const std::string text : {"", "B", "BZh91AY&S", "\x1F\x8B"}) EXPECT_TRUE(may_become_compressed(text));
  for (const std::string text : {"Soup", "BZhang", "hi\n"}) EXPECT_FALSE(may_become_compressed(text));
  EXPECT_EQ(without_compression("a/b.csv.BZ2"), "a/b.csv");
  EXPECT_EQ(without_compression("a.gz/b.csv"), "a.gz/b.csv");
}

TEST_F(Compressed, OtherArchivesAreNamed) {
  EXPECT_NE(error_of("a.xlsx", "PK\x03\x04rest").find("zip"), std::string::npos);
  EXPECT_NE(error_of("a.parquet", "PAR1\x15rest").find("Parquet"), std::string::npos);
}

// A bomb: 200 MB from a few kilobytes, read through buffers of fixed size.
TEST_F(Compressed, WhatComesOutNeedNotFitIntoMemory) {
  constexpr std::size_t kSize = 200 << 20;
  const std::string zeros(1 << 20, '\0');
  for (const Compression compression : {Compression::gzip, Compression::zstd}) {
    auto file =
        AtomicFile::create(path("bomb" + std::string(compression == Compression::gzip ? ".gz" : ".zst")));
    ASSERT_TRUE(file);
    for (std::size_t i = 0; i < kSize; i += zeros.size()) ASSERT_TRUE(file->write(zeros));
    ASSERT_TRUE(file->commit());
  }
  for (const std::string name : {"bomb.gz", "bomb.zst"}) {
    EXPECT_LT(std::filesystem::file_size(path(name)), kSize / 500);
    const auto stream = InputStream::open(path(name)).value();
    EXPECT_TRUE(stream->skip(kSize).value());
    EXPECT_FALSE(stream->skip(1).value());
  }
}

TEST_F(Compressed, SkippingStopsAtTheEnd) {
  for (const std::string& content : {std::string("0123456789"), packed("0123456789", Compression::xz)}) {
    const auto file = write("in", content);
    for (const std::uint64_t size : {0U, 4U, 10U}) {
      const auto stream = InputStream::open(file).value();
      EXPECT_TRUE(stream->skip(size).value());
      char rest[20];
      EXPECT_EQ(stream->read(rest, sizeof rest).value(), 10 - size);
    }
    EXPECT_FALSE(InputStream::open(file).value()->skip(11).value());
  }
}

TEST(Atomic, AFileThatCannotBeCompressedIsRefused) {
  EXPECT_TRUE(check_uncompressed("output", "m.safetensors", "a model"));
  const auto refused = check_uncompressed("output", "m.gz", "a model");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().parameter, "output");
}

}  // namespace
}  // namespace sotto
