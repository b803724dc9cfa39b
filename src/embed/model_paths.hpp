// The location of a user's own files.
#pragma once

#include <filesystem>

namespace sotto::embed {

/// $XDG_DATA_HOME/sotto, by default ~/.local/share/sotto; empty if neither is known. Need not exist.
std::filesystem::path user_data_folder();

}  // namespace sotto::embed
