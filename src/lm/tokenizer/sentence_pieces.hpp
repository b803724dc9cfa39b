// The interface to libsentencepiece. That library brings its own copy of protocol buffers, which crashes
// libtorch's copy if both are globally visible, so it lives in a plugin.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/result.hpp>

namespace sotto::lm {

/// A piece of a text and the bytes it represents.
struct SentencePiece {
  int id = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A model of libsentencepiece. Immutable; all functions are thread-safe.
class SentencePieces {
 public:
  virtual ~SentencePieces() = default;
  virtual int size() const = 0;
  virtual int unknown() const = 0;
  virtual std::string spelling(int id) const = 0;
  virtual std::vector<int> encode(std::string_view text) const = 0;
  virtual std::vector<SentencePiece> encode_with_ranges(std::string_view text) const = 0;
  virtual std::string decode(std::span<const std::string_view> pieces) const = 0;
};

/// Reads the bytes of a model file; `file` is for messages. The first call loads the plugin.
Result<std::unique_ptr<const SentencePieces>> read_sentence_pieces(std::string_view bytes,
                                                                   std::string_view file);

/// What the plugin exports: the model, owned by the caller, or null if the bytes are not a model.
inline constexpr const char* kSentencePiecesReader = "sotto_read_sentence_pieces";
using SentencePiecesReader = const SentencePieces* (*)(const char* bytes, std::size_t size);

}  // namespace sotto::lm
