// What the files of 'sotto collocations' share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sotto/collocations.hpp>

#include "command.hpp"

namespace sotto::cli {

/// A phrase table by path; a name without '/' that is no file is looked for among the models.
Result<std::shared_ptr<const PhraseTable>> open_phrases(const std::string& name);

/// info and show.
void add_phrase_queries(CLI::App& group, std::vector<NamedAction>& actions);

}  // namespace sotto::cli
