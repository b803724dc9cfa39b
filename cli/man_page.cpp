#include "man_page.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <sotto/version.hpp>

#include "command_tree.hpp"
#include "option_groups.hpp"

namespace sotto::cli {
namespace {

/// Escapes text for roff. Otherwise a hyphen could not be pasted into a shell, and a line that starts with a
/// dot would be a request to roff.
std::string escaped(std::string_view text) {
  std::string roff;
  for (const char byte : text) {
    switch (byte) {
      case '\\':
        roff += "\\e";
        break;
      case '-':
        roff += "\\-";
        break;
      case '\'':
        roff += "\\(aq";
        break;
      case '`':
        roff += "\\(ga";
        break;
      case '^':
        roff += "\\(ha";
        break;
      case '~':
        roff += "\\(ti";
        break;
      default:
        roff += byte;
    }
  }
  return roff.starts_with('.') ? "\\&" + roff : roff;
}

std::string bold(std::string_view text) {
  return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + escaped(text) + "\\fR";
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// A command's footer, split at its examples; the part before them describes the command.
struct Footer {
  std::string description;
  std::string examples;
};

/// Indented lines are shown verbatim; an empty line ends a paragraph.
std::string paragraphs(const std::vector<std::string_view>& lines) {
  std::string roff;
  bool verbatim = false;
  bool paragraph_ended = true;
  for (const std::string_view line : lines) {
    if (const bool indented = line.starts_with("  "); indented != verbatim && !line.empty()) {
      roff += indented ? ".PP\n.in +4n\n.EX\n" : ".EE\n.in\n.PP\n";
      verbatim = indented;
    } else if (paragraph_ended && !verbatim && !line.empty()) {
      roff += ".PP\n";
    }
    paragraph_ended = line.empty();
    if (!line.empty()) roff += escaped(verbatim ? line.substr(2) : line) + "\n";
  }
  return roff + (verbatim ? ".EE\n.in\n" : "");
}

Footer split_footer(const std::string& footer) {
  const std::vector<std::string_view> lines = lines_of(footer);
  const auto heading = std::find_if(lines.begin(), lines.end(), [](std::string_view line) {
    return line == "Example:" || line == "Examples:";
  });
  if (heading == lines.end()) return {paragraphs(lines), ""};
  return {paragraphs({lines.begin(), heading}), paragraphs({heading + 1, lines.end()})};
}

std::string argument_name(const CLI::Option& positional) {
  const std::string name = italic(positional.get_name()) + (repeats(positional) ? "..." : "");
  return positional.get_required() ? name : "[" + name + "]";
}

std::string synopsis(const CLI::App& command) {
  std::string line = bold(full_name(command)) + " [" + italic("OPTIONS") + "]";
  if (!subcommands(command).empty())
    line +=
        command.get_require_subcommand_min() > 0 ? " " + italic("COMMAND") : " [" + italic("COMMAND") + "]";
  for (const CLI::Option* positional : positionals(command)) line += " " + argument_name(*positional);
  return line + "\n";
}

std::string item(std::string_view term, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", term, text);
}

std::string option_term(const CLI::Option& option) {
  std::string term;
  for (const std::string& name : spellings(option)) term += (term.empty() ? "" : ", ") + bold(name);
  return takes_value(option) ? term + " " + italic(option.get_type_name()) : term;
}

std::string option_text(const CLI::Option& option) {
  std::string text = escaped(option.get_description());
  if (option.get_required()) text += " (required)";
  if (!option.get_default_str().empty()) text += " (default: " + escaped(option.get_default_str()) + ")";
  return text;
}

/// "Options" is the group of all that have none; a page with no other needs no heading for it.
std::string options(const CLI::App& command) {
  std::string roff = ".SH OPTIONS\n";
  const std::vector<std::string> groups = option_groups(command);
  std::string group = groups.size() == 1 ? groups.front() : "";
  for (const CLI::Option* option : named_options(command)) {
    if (option->get_group() != group) {
      group = option->get_group();
      roff += fmt::format(".SS {}\n", escaped(group == kUngrouped ? "Other options" : group));
    }
    roff += item(option_term(*option), option_text(*option));
  }
  return roff;
}

std::string arguments(const CLI::App& command) {
  std::string roff;
  for (const CLI::Option* positional : positionals(command))
    roff += item(italic(positional->get_name()), option_text(*positional));
  return roff.empty() ? "" : ".SH ARGUMENTS\n" + roff;
}

std::string commands(const CLI::App& command) {
  std::string roff;
  for (const CLI::App* sub : subcommands(command))
    roff += item(fmt::format("{}(1)", bold(man_page_name(*sub))), escaped(sub->get_description()));
  return roff.empty() ? "" : ".SH COMMANDS\n" + roff;
}

/// What applies to the whole program is on its first page.
constexpr const char* kEnvironment = R"(.SH ENVIRONMENT
.TP
\fBSOTTO_MODELS\fR
Folders to search for models first, separated by colons.
.TP
\fBSOTTO_PLUGINS\fR
The folder of the plugins, an absolute path.
.TP
\fBSOTTO_DATA\fR
The folder of the data sets of experiments.
.TP
\fBXDG_DATA_HOME\fR
Models and certificates of the user are kept in its folder \fIsotto\fR (default: \fI\(ti/.local/share\fR).
)";
constexpr const char* kExitStatus = R"(.SH EXIT STATUS
.TP
0
The command did what it was asked to do.
.TP
1
It failed; one line on standard error says why.
.TP
2
The command line is wrong.
)";

std::string see_also(const CLI::App& command) {
  std::vector<const CLI::App*> related;
  if (command.get_parent() != nullptr) {
    related.push_back(command.get_parent());
    for (const CLI::App* sister : subcommands(*command.get_parent()))
      if (sister != &command) related.push_back(sister);
  } else {
    related = subcommands(command);
  }
  std::string roff;
  for (const CLI::App* page : related)
    roff += fmt::format("{}{}(1)", roff.empty() ? "" : ",\n", bold(man_page_name(*page)));
  return ".SH SEE ALSO\n" + roff + "\n";
}

}  // namespace

std::string man_page_name(const CLI::App& command) {
  std::string name = full_name(command);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const CLI::App& command) {
  const std::string name = man_page_name(command);
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
  });
  std::string summary = command.get_description();
  if (summary.ends_with('.')) summary.pop_back();
  const Footer footer = split_footer(command.get_footer());
  std::string roff =
      fmt::format("'\\\" -*- coding: utf-8 -*-\n.TH {} 1 \"\" \"Sotto {}\" \"User Commands\"\n",
                  escaped(title), kVersion);
  roff += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(summary));
  roff += ".SH SYNOPSIS\n" + synopsis(command);
  if (!footer.description.empty()) roff += ".SH DESCRIPTION\n" + footer.description;
  roff += commands(command) + arguments(command) + options(command);
  if (command.get_parent() == nullptr) roff += std::string(kEnvironment) + kExitStatus;
  if (!footer.examples.empty()) roff += ".SH EXAMPLES\n" + footer.examples;
  return roff + see_also(command);
}

Result<void> write_man_pages(const CLI::App& command, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / (man_page_name(command) + ".1");
  std::ofstream file(path);
  file << man_page(command);
  file.close();
  if (!file) return fail(Errc::io, fmt::format("cannot write {}", path.string()));
  for (const CLI::App* sub : subcommands(command)) SOTTO_TRY(write_man_pages(*sub, folder));
  return {};
}

}  // namespace sotto::cli
