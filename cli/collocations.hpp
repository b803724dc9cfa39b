// What 'sotto collocations' and 'sotto train' share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/collocations.hpp>

#include "command.hpp"

namespace sotto::cli {

/// A phrase table by path; a name without '/' that is no file is looked for among the models.
Result<std::shared_ptr<const PhraseTable>> open_phrases(const std::string& name);

/// Adds --format and --field.
void add_corpus_format_options(CLI::App& command, std::string& format, std::string& field);

/// The value of --format; by the files' names where it was not given.
Result<CorpusFormat> parse_corpus_format(std::string_view format);

/// info and show.
void add_phrase_queries(CLI::App& group, std::vector<NamedAction>& actions);

}  // namespace sotto::cli
