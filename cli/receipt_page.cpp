#include "receipt_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <sotto/terminal_text.hpp>

#include "wrapped_text.hpp"

namespace sotto::cli {
namespace {

constexpr std::size_t kWidestText = 100;  // longer lines are hard to read

constexpr const char* kPageStyle = R"css(
:root { color-scheme: light dark; --text: #1c1d21; --quiet: #5b5f6b; --back: #fdfdfc; --card: #f1f3f6;
  --line: #d5d8df; --good: #1d6b46; --bad: #a3271f; }
@media (prefers-color-scheme: dark) { :root { --text: #e7e8ea; --quiet: #a3a7b3; --back: #17181b; --card: #222429;
  --line: #3b3e46; --good: #6fcf9f; --bad: #ff8f85; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 46rem; padding: 2rem 1.25rem 3rem; background: var(--back); color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1.25rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
p { margin: .5rem 0; }
ul { margin: .5rem 0; padding-left: 1.25rem; }
li { margin: .2rem 0; }
.promise { background: var(--card); border-left: .35rem solid var(--good); border-radius: .4rem;
  padding: .75rem 1.1rem; }
.none { border-left-color: var(--bad); }
.promise p:first-of-type { font-size: 1.1rem; font-weight: 600; }
.promise h2 { margin: 0; padding: 0; border: 0; color: var(--quiet); font-size: .85rem; font-weight: 600; }
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; } li, p { break-inside: avoid; } }
)css";

constexpr const char* kPromiseTitle = "What is promised";

std::string html(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

/// Escapes what CommonMark and GitHub's extensions give a meaning inside a line: emphasis, code, links (also
/// bare addresses), HTML, tables, strike-through, formulas, references to people and issues.
std::string markdown(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*_[]<>&|~$#@^={}";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool in_address = (text[i] == ':' && i + 1 < text.size() && text[i + 1] != ' ') ||
                            (text[i] == '.' && i >= 3 && (text[i - 1] | 0x20) == 'w');
    if (kSpecial.find(text[i]) != std::string_view::npos || in_address) out += '\\';
    out += text[i];
  }
  return out;
}

/// A line that begins with what would start a list or a heading does not.
std::string markdown_line(std::string_view text) {
  std::string out = markdown(text);
  const std::size_t digits = std::min(out.find_first_not_of("0123456789"), out.size());
  if (digits < out.size() &&
      (digits > 0 ? out[digits] == '.' || out[digits] == ')' : out[0] == '-' || out[0] == '+'))
    out.insert(digits, 1, '\\');
  return out;
}

/// The sentences below the promise: examples, and what an attacker achieves.
std::vector<std::string> meaning(const ReceiptDescription& description) {
  std::vector<std::string> sentences = description.examples;
  if (description.attacker) sentences.push_back(*description.attacker);
  return sentences;
}

}  // namespace

std::string receipt_text(const ReceiptDescription& description, std::size_t width) {
  width = std::min(width, kWidestText);
  std::string out = wrapped(description.title, width, "", "") + '\n';
  out += fmt::format("{}\n", kPromiseTitle) + wrapped(description.promise, width, "  ", "  ");
  for (const std::string& sentence : meaning(description)) out += wrapped(sentence, width, "  ", "  ");
  for (const DescribedSection& section : description.sections) {
    out += fmt::format("\n{}\n", section.title);
    for (const std::string& paragraph : section.paragraphs) out += wrapped(paragraph, width, "  ", "  ");
    for (const std::string& item : section.items) out += wrapped(item, width, "  - ", "    ");
  }
  return out;
}

std::string receipt_markdown(const ReceiptDescription& description) {
  std::string out = fmt::format("# {}\n\n## {}\n\n**{}**\n", markdown(description.title), kPromiseTitle,
                                markdown(description.promise));
  for (const std::string& sentence : meaning(description))
    out += fmt::format("\n{}\n", markdown_line(sentence));
  for (const DescribedSection& section : description.sections) {
    out += fmt::format("\n## {}\n", markdown(section.title));
    for (const std::string& paragraph : section.paragraphs)
      out += fmt::format("\n{}\n", markdown_line(paragraph));
    if (!section.items.empty()) out += '\n';
    for (const std::string& item : section.items) out += fmt::format("- {}\n", markdown_line(item));
  }
  return out;
}

std::string receipt_html(const ReceiptDescription& description) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      html(description.title), kPageStyle);
  out += fmt::format("<section class=\"promise{}\">\n<h2>{}</h2>\n<p>{}</p>\n",
                     description.promises ? "" : " none", kPromiseTitle, html(description.promise));
  for (const std::string& sentence : meaning(description)) out += fmt::format("<p>{}</p>\n", html(sentence));
  out += "</section>\n";
  for (const DescribedSection& section : description.sections) {
    out += fmt::format("<section>\n<h2>{}</h2>\n", html(section.title));
    for (const std::string& paragraph : section.paragraphs)
      out += fmt::format("<p>{}</p>\n", html(paragraph));
    if (!section.items.empty()) out += "<ul>\n";
    for (const std::string& item : section.items) out += fmt::format("<li>{}</li>\n", html(item));
    out += section.items.empty() ? "</section>\n" : "</ul>\n</section>\n";
  }
  return out + "</body>\n</html>\n";
}

}  // namespace sotto::cli
