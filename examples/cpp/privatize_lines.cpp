// Rewrites the lines of standard input and writes the receipt to standard error:
//
//     privatize_lines diffractor-geometric 1 secret.key < in.txt > out.txt 2> receipt.json
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <sotto/error_text.hpp>
#include <sotto/privatizer.hpp>

namespace {

int failed(const sotto::Error& error) {
  std::cerr << sotto::describe(error) << '\n';
  return 1;
}

std::vector<std::string> read_lines() {
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
  return lines;
}

/// One document per line, named by its number.
std::vector<sotto::Document> documents_of(const std::vector<std::string>& lines,
                                          std::vector<std::string>& ids) {
  std::vector<sotto::Document> documents;
  for (std::size_t i = 0; i < lines.size(); ++i) ids.push_back(std::to_string(i + 1));
  for (std::size_t i = 0; i < lines.size(); ++i) documents.push_back({{"lines", ids[i], ""}, lines[i]});
  return documents;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: " << argv[0] << " MECHANISM EPSILON KEY-FILE < TEXTS\n";
    return 2;
  }
  sotto::PrivatizeOptions options;
  options.mechanism.name = argv[1];
  options.mechanism.epsilon = std::atof(argv[2]);
  options.key_file = argv[3];
  const auto privatizer = sotto::Privatizer::make(options);
  if (!privatizer) return failed(privatizer.error());

  const std::vector<std::string> lines = read_lines();
  std::vector<std::string> ids;
  std::vector<std::string> outputs(lines.size());
  sotto::Counts counts;
  if (const auto done = (*privatizer)->privatize(documents_of(lines, ids), outputs, counts); !done)
    return failed(done.error());
  for (const std::string& output : outputs) std::cout << output << '\n';
  std::cerr << to_json((*privatizer)->receipt(counts));
}
