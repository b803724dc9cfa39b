// Code common to the commands of 'sotto lm'.
#pragma once

#include <string>

#include "command.hpp"

namespace sotto::cli {

struct LanguageModelArguments {
  std::string model, device = "cpu", precision = "auto", threads;
  bool json = false;

  void add_options(CLI::App& command);
  Result<LanguageModelResources> resources() const;
};

NamedAction add_lm_similarity(CLI::App& group);
NamedAction add_lm_perplexity(CLI::App& group);

}  // namespace sotto::cli
