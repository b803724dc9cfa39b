#include "choose_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <sotto/terminal_text.hpp>

#include "record_options.hpp"
#include "shell_words.hpp"

namespace sotto::cli {
namespace {

constexpr std::size_t kCurveWidth = 32;
constexpr std::size_t kLeastWidth = 60;
constexpr std::size_t kMostWidth = 100;  // of sentences
constexpr std::size_t kBothTexts = 112;  // columns of a table with both texts side by side
constexpr std::size_t kSampleLetters = 200;

std::string percent(double share) {
  return fmt::format("{:.0f}%", 100 * share);
}

/// A file that a command cannot take for an option.
std::string shell_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  return shell_word(name.starts_with('-') ? "./" + name : name);
}

/// The file beside `input` with `mark` before its extensions, or with `ending` instead of them.
std::filesystem::path file_beside(const std::filesystem::path& input, std::string_view mark,
                                  std::string_view ending) {
  const std::string name = input.filename().string();
  const std::size_t dot = std::min(name.find('.', 1), name.size());
  return input.parent_path() / fmt::format("{}{}{}", name.substr(0, dot), mark,
                                           ending.empty() ? name.substr(dot) : std::string(ending));
}

std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Words of `text` in lines that begin with `indent`.
std::string wrapped(std::string_view text, const std::string& indent, std::size_t columns) {
  const std::size_t width = std::clamp(columns, kLeastWidth, kMostWidth);
  std::string lines;
  std::string line = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line != indent && letters(line) + letters(word) + 1 > width) {
      lines += line + "\n";
      line = indent;
    }
    line += (line == indent ? "" : " ") + std::string(word);
  }
  return lines + line + "\n";
}

/// Text of a file, shortened, with whatever could steer a terminal made visible.
std::string visible(std::string_view text) {
  std::string shown;
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (++count > kSampleLetters) return shown + "...";
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    const std::string_view letter = text.substr(i, length);
    const bool is_control = byte < 0x20 || byte == 0x7F || (letter >= "\xC2\x80" && letter <= "\xC2\x9F");
    const bool is_directional = (letter >= "\xE2\x80\x8B" && letter <= "\xE2\x80\x8F") ||
                                (letter >= "\xE2\x80\xA8" && letter <= "\xE2\x80\xAE") ||
                                (letter >= "\xE2\x81\xA6" && letter <= "\xE2\x81\xA9");
    if (is_control || is_directional)
      for (const char c : letter) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      shown += letter;
    i += length;
  }
  return shown;
}

std::string about(const MeasuredText& text) {
  return fmt::format("{}: {} in {}; {} outside the vocabulary", visible(text.source),
                     counted(text.words, "word"), documents_of(text), percent(text.unknown));
}

/// A name, and beside it a text of several lines.
std::string named(const char* name, std::string_view text, std::size_t columns) {
  constexpr std::size_t kNameWidth = 15;
  std::string lines = wrapped(text, std::string(kNameWidth, ' '), columns);
  return lines.replace(0, kNameWidth, fmt::format("  {:<{}}", name, kNameWidth - 2));
}

std::string figures(const TextFigures& f) {
  return fmt::format("{:>8} {:>10} {:>8} {:>8}", percent(f.changed), percent(f.recovered),
                     percent(f.recovered_content), f.similarity ? fmt::format("{:.2f}", *f.similarity) : "-");
}

std::string row_name(const MechanismFindings& findings, std::size_t point) {
  return fmt::format("  {:<20} {:>10g}{}", point == 0 ? findings.mechanism.name : "",
                     findings.points[point].epsilon, findings.at_limit == point ? "*" : " ");
}

std::string figures_or_none(const std::optional<TextFigures>& known) {
  return known ? figures(*known) : "no known word";
}

constexpr const char* kTitles = "changed  recovered  content  similar";

/// Both texts in one row.
std::string wide_table(const Choice& choice, const std::string& public_title,
                       const std::string& private_title) {
  std::string text = fmt::format("  {:<31} {:<37}   {}\n  {:<20} {:>10}  {}   {}\n", "", public_title,
                                 private_title, "mechanism", "epsilon", kTitles, kTitles);
  for (const MechanismFindings& findings : choice.mechanisms)
    for (std::size_t i = 0; i < findings.points.size(); ++i)
      text += fmt::format("{} {}  {}\n", row_name(findings, i), figures(findings.points[i].public_text),
                          figures_or_none(findings.points[i].private_text));
  return text;
}

/// One text below the other.
std::string narrow_table(const Choice& choice, const std::string& title, bool on_private) {
  std::string text =
      fmt::format("  {:<31} {}\n  {:<20} {:>10}  {}\n", "", title, "mechanism", "epsilon", kTitles);
  for (const MechanismFindings& findings : choice.mechanisms)
    for (std::size_t i = 0; i < findings.points.size(); ++i) {
      const ChoicePoint& point = findings.points[i];
      text += fmt::format("{} {}\n", row_name(findings, i),
                          on_private ? figures_or_none(point.private_text) : figures(point.public_text));
    }
  return text;
}

std::string table(const Choice& choice, std::size_t columns) {
  const std::string public_title = choice.use_private ? "public text" : "public text (decides)";
  const std::string private_title =
      choice.use_private ? "your text, confidential (decides)" : "your text, confidential";
  return (columns >= kBothTexts ? wide_table(choice, public_title, private_title)
                                : narrow_table(choice, public_title, false) + "\n" +
                                      narrow_table(choice, private_title, true)) +
         wrapped(fmt::format("* the largest epsilon tried at which the attacker recovers at most {} "
                             "(--most-recovered)",
                             percent(choice.most_recovered)),
                 "  ", columns);
}

double recovered_at(const Choice& choice, const ChoicePoint& point) {
  return choice.use_private ? point.private_text->recovered : point.public_text.recovered;
}

/// What is recovered at an epsilon between those that were tried.
double interpolated(const Choice& choice, const MechanismFindings& findings, double epsilon) {
  const ChoicePoint* below = &findings.curve.front();
  for (const ChoicePoint& point : findings.curve) {
    if (point.epsilon >= epsilon) {
      if (point.epsilon == below->epsilon) return recovered_at(choice, point);
      const double share = std::log(epsilon / below->epsilon) / std::log(point.epsilon / below->epsilon);
      return recovered_at(choice, *below) +
             share * (recovered_at(choice, point) - recovered_at(choice, *below));
    }
    below = &point;
  }
  return recovered_at(choice, *below);
}

std::string picture(const Choice& choice, std::size_t columns) {
  constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text =
      "\n" + wrapped(
                 "Words recovered, from the lowest to the highest useful epsilon (full block: all; do not "
                 "compare epsilons of different mechanisms)",
                 "  ", columns);
  for (const MechanismFindings& findings : choice.mechanisms) {
    std::string curve;
    for (std::size_t i = 0; i < kCurveWidth; ++i) {
      const double share = static_cast<double>(i) / (kCurveWidth - 1);
      const double recovered =
          interpolated(choice, findings, findings.low * std::pow(findings.high / findings.low, share));
      curve += kBlocks[static_cast<std::size_t>(std::clamp(recovered, 0.0, 0.999) * std::size(kBlocks))];
    }
    text +=
        fmt::format("  {:<20} {:>6g} {} {:g}\n", findings.mechanism.name, findings.low, curve, findings.high);
  }
  return text;
}

/// Each line once, then what every mechanism made of it.
std::string samples(const Choice& choice, std::size_t columns) {
  std::string text = "\nLines of your text, confidential, rewritten under a throwaway key\n";
  const std::vector<SampleLine>& lines = choice.mechanisms.front().samples;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += wrapped(visible(lines[i].before), "    - ", columns);
    for (const MechanismFindings& findings : choice.mechanisms) {
      const std::size_t shown = findings.at_limit.value_or(findings.points.size() - 1);
      text +=
          fmt::format("      {}, epsilon {:g}\n", findings.mechanism.name, findings.points[shown].epsilon) +
          wrapped(visible(findings.samples[i].after), "    + ", columns);
    }
  }
  return text;
}

std::string candidates(const Choice& choice) {
  std::uint64_t least = ~0ULL;
  std::uint64_t most = 0;
  for (const MechanismFindings& findings : choice.mechanisms) {
    const std::uint64_t count = choice.use_private ? findings.private_candidates : findings.candidates;
    least = std::min(least, count);
    most = std::max(most, count);
  }
  return least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
}

}  // namespace

std::string recommended_command(const Choice& choice, const FileOptions& files) {
  if (!choice.recommended) return {};
  const MechanismSpec& spec = choice.mechanisms[*choice.recommended].mechanism;
  std::string command = "sotto privatize";
  for (const std::filesystem::path& input : files.inputs) command += " " + shell_file(input);
  command += record_arguments(files);
  command += fmt::format(" --mechanism {}", spec.name);
  if (!spec.model.empty()) command += " --model " + shell_word(spec.model);
  for (const auto& [name, value] : spec.parameters) command += " --set " + shell_word(name + "=" + value);
  command += fmt::format(" --epsilon {:g} --epsilon-chosen-on {}", spec.epsilon,
                         to_string(choice.epsilon_chosen_on()));
  const std::filesystem::path& first = files.inputs.front();
  return command + fmt::format(" -o {} --report {}", shell_file(file_beside(first, ".private", "")),
                               shell_file(file_beside(first, ".receipt", ".json")));
}

std::string choice_text(const Choice& choice, const std::string& command, std::size_t columns) {
  std::string text =
      wrapped("Confidential: has figures and lines of the private text, which no guarantee covers.", "",
              columns) +
      "\n" + named("public text", about(choice.public_text), columns) +
      named("your text", about(choice.private_text), columns) +
      named("attacker",
            fmt::format("knows mechanism, epsilon and public word frequencies; guesses each word among {} "
                        "candidates",
                        candidates(choice)),
            columns) +
      "\n" + table(choice, columns);
  if (choice.encoder.empty())
    text += wrapped("similarity not measured: " + visible(choice.encoder_absent), "  ", columns);
  text += picture(choice, columns) + samples(choice, columns);
  if (!choice.recommended) return text + "\nNo recommendation\n" + wrapped(choice.reason, "  ", columns);
  const MechanismFindings& best = choice.mechanisms[*choice.recommended];
  return text +
         fmt::format("\nRecommended: {} at epsilon {:g}\n", best.mechanism.name, best.mechanism.epsilon) +
         wrapped(choice.reason, "  ", columns) + fmt::format("\n    {}\n", command);
}

}  // namespace sotto::cli
