#include <algorithm>

#include <sotto/receipt.hpp>

#include "privacy/rounding.hpp"

namespace sotto {

Statistics& Statistics::operator+=(const Statistics& other) {
  bytes_in += other.bytes_in;
  others += other.others;
  changed += other.changed;
  bottom += other.bottom;
  invalid_utf8 += other.invalid_utf8;
  phrases += other.phrases;
  output_phrases += other.output_phrases;
  privatized_words += other.privatized_words;
  output_words += other.output_words;
  largest_document_words = std::max(largest_document_words, other.largest_document_words);
  folded += other.folded;
  corrected += other.corrected;
  subword += other.subword;
  uniform += other.uniform;
  return *this;
}

Counts& Counts::operator+=(const Counts& other) {
  documents += other.documents;
  words += other.words;
  numbers += other.numbers;
  punctuation += other.punctuation;
  privatized += other.privatized;
  randomized_numbers += other.randomized_numbers;
  clear_stopwords += other.clear_stopwords;
  clear_oov += other.clear_oov;
  clear_numbers += other.clear_numbers;
  clear_punctuation += other.clear_punctuation;
  dropped += other.dropped;
  withheld += other.withheld;
  repeated += other.repeated;
  skipped += other.skipped;
  largest_document = std::max(largest_document, other.largest_document);
  largest_record = std::max(largest_record, other.largest_record);
  epsilon_sum = privacy::add_up(epsilon_sum, other.epsilon_sum);
  largest_epsilon = std::max(largest_epsilon, other.largest_epsilon);
  largest_record_epsilon = std::max(largest_record_epsilon, other.largest_record_epsilon);
  if (smallest_share == 0 || (other.smallest_share > 0 && other.smallest_share < smallest_share))
    smallest_share = other.smallest_share;
  largest_share = std::max(largest_share, other.largest_share);
  statistics += other.statistics;
  return *this;
}

}  // namespace sotto
