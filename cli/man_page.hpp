// Manual pages, generated from the commands' own help.
#pragma once

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include <sotto/result.hpp>

namespace sotto::cli {

/// The first argument of the build's call that generates the pages. Not a command for people.
inline constexpr std::string_view kManPagesRequest = "__man-pages";

/// The name of a command's page in section 1, for example "sotto-model-import".
std::string man_page_name(const CLI::App& command);

/// The page of a command, as roff source.
std::string man_page(const CLI::App& command);

/// Writes the pages of `command` and of all its subcommands into an existing folder.
Result<void> write_man_pages(const CLI::App& command, const std::filesystem::path& folder);

}  // namespace sotto::cli
