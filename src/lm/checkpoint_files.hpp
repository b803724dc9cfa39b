// The files of a model folder: config.json and model.safetensors, whole or sharded, memory-mapped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/safetensors.hpp"
#include "lm/config.hpp"

namespace sotto::lm {

/// A tensor in a mapped file, not necessarily aligned.
struct StoredTensor {
  base::TensorView view;
  std::shared_ptr<const base::MappedFile> file;
  std::string where;  ///< file and name, for messages
};

/// Its functions throw Failure.
class CheckpointFiles {
 public:
  explicit CheckpointFiles(const std::filesystem::path& folder);

  const Config& config() const { return config_; }
  const std::filesystem::path& folder() const { return folder_; }
  bool has(const std::string& name) const { return tensors_.contains(name); }
  /// Refused with the name, the expected and the actual shape if there is none of this shape.
  const StoredTensor& find_tensor(const std::string& name, const std::vector<std::int64_t>& shape) const;
  /// The elements of a tensor that must be stored as F32, or as I32.
  std::vector<float> floats(const std::string& name, const std::vector<std::int64_t>& shape) const;
  std::vector<std::int32_t> integers(const std::string& name, const std::vector<std::int64_t>& shape) const;
  /// Lets the system evict the resident pages of the files or of one tensor; they are reloaded on use.
  void release_pages() const;
  void release_pages(const std::string& name) const;

 private:
  void map_file(const std::string& file_name);
  void map_shards();

  std::filesystem::path folder_;
  Config config_;
  std::map<std::string, StoredTensor> tensors_;
};

}  // namespace sotto::lm
