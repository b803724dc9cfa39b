// Manual pages, made from the commands' own help.
#pragma once

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include <sotto/result.hpp>

namespace sotto::cli {

/// The first argument of a call by the build, which makes the pages; it is no command for people.
inline constexpr std::string_view kManPagesRequest = "__man-pages";

/// "sotto-model-import", the name of a command's page in section 1.
std::string man_page_name(const CLI::App& command);

/// The page of a command, as source for man.
std::string man_page(const CLI::App& command);

/// Writes the pages of `command` and of all commands below it into a folder that exists.
Result<void> write_man_pages(const CLI::App& command, const std::filesystem::path& folder);

}  // namespace sotto::cli
