// Corpora as the tokens that vectors are trained on.
//
// Each line is a sentence whose tokens are separated by blanks: words in lookup form (lower case), phrases
// joined by '_'. Numbers, punctuation and other tokens interrupt phrases and are omitted, as are words
// outside the vocabulary, so that the tokens to their left and right become each other's context.
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

namespace sotto::train {

/// Counts the tokens of options.inputs, segmented with all phrases of `table` (null: none).
Result<TokenCounts> count_tokens(const TrainOptions& options,
                                 const std::shared_ptr<const PhraseTable>& table);

/// Writes the tokens of `vocabulary` to `output`, complete or not at all and in corpus order, independent of
/// the number of threads. Forms only phrases of the vocabulary.
Result<TokenizedCorpus> write_tokens(const TrainOptions& options,
                                     const std::shared_ptr<const PhraseTable>& table,
                                     const TokenVocabulary& vocabulary, const std::filesystem::path& output);

}  // namespace sotto::train
