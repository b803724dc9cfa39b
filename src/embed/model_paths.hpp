// The location of a user's own files, and of what is installed with the models but is none.
#pragma once

#include <filesystem>

#include <sotto/result.hpp>

namespace sotto::embed {

/// $XDG_DATA_HOME/sotto, by default ~/.local/share/sotto; empty if neither is known. Need not exist.
std::filesystem::path user_data_folder();

/// The file of the map of strings to words, in the first model folder that has one.
Result<std::filesystem::path> find_word_map();

/// The same for the table of word forms.
Result<std::filesystem::path> find_word_forms();

}  // namespace sotto::embed
