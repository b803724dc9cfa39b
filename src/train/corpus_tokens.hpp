// Corpora as the tokens that vectors are trained on.
//
// A sentence is a line, its tokens are separated by blanks: words in the form they are looked up (lower
// case), phrases joined by '_'. Numbers, punctuation and other tokens interrupt phrases and are left out, as
// are words outside the vocabulary, so that what stands left and right of them becomes each other's context.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include <sotto/collocations.hpp>
#include <sotto/result.hpp>
#include <sotto/train.hpp>

#include "train/token_vocabulary.hpp"
#include "train/work_folder.hpp"

namespace sotto {

/// Counts the tokens of options.inputs, segmented with all phrases of `table` (null: none).
Result<TokenCounts> count_tokens(const TrainOptions& options,
                                 const std::shared_ptr<const PhraseTable>& table);

/// Writes the tokens of `vocabulary` to `output`, complete or not at all and in the order of the corpus,
/// whatever the number of threads. Only phrases of the vocabulary are formed.
Result<TokenizedCorpus> write_tokens(const TrainOptions& options,
                                     const std::shared_ptr<const PhraseTable>& table,
                                     const TokenVocabulary& vocabulary, const std::filesystem::path& output);

}  // namespace sotto
