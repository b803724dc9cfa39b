// Code common to 'sotto collocations' and 'sotto train'.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sotto/collocations.hpp>

#include "command.hpp"

namespace sotto::cli {

/// Opens a phrase table by path. A name without '/' that is not a file is searched for among the models.
Result<std::shared_ptr<const PhraseTable>> open_phrases(const std::string& name);

/// Adds --format and --field.
void add_corpus_format_options(CLI::App& command, std::string& format, std::string& field);

/// The value of --format; if not given, the format is chosen by file name.
Result<CorpusFormat> parse_corpus_format(std::string_view format);

/// Adds info and show.
void add_phrase_queries(CLI::App& group, std::vector<NamedAction>& actions);

}  // namespace sotto::cli
