#include "evaluate/experiment/cell_store.hpp"

#include <fmt/format.h>
#include <sys/file.h>

#include "base/hash.hpp"
#include "base/json.hpp"
#include "evaluate/experiment/run_folder.hpp"

namespace sotto::evaluate {

std::string cell_key(const nlohmann::json& identity) {
  return base::to_hex(base::sha256(identity.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

std::optional<nlohmann::ordered_json> CellStore::load(const std::string& key) const {
  const auto content = base::read_file(file(key));
  if (!content) return std::nullopt;
  auto json = base::parse_json<nlohmann::ordered_json>(*content);
  if (!json.is_object() || json.value("key", std::string()) != key) return std::nullopt;
  return json;
}

Result<void> CellStore::save(const std::string& key, const nlohmann::ordered_json& content) const {
  nlohmann::ordered_json kept = {{"key", key}};
  kept.update(content);
  return write_whole_file(file(key),
                          kept.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  SOTTO_ASSIGN(base::FileDescriptor descriptor, base::open_for_writing(folder / kName));
  if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0)
    return fail(Errc::io, fmt::format("{}: another run is using this folder; wait for it, or give another "
                                      "one with -o",
                                      folder.string()));
  return FolderLock(std::move(descriptor));
}

}  // namespace sotto::evaluate
