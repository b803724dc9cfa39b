// Where a user's own files are.
#pragma once

#include <filesystem>

namespace sotto {

/// $XDG_DATA_HOME/sotto, by default ~/.local/share/sotto; empty when neither is known. It need not exist.
std::filesystem::path user_data_folder();

}  // namespace sotto
