#include "mechanisms/registry/language_mechanisms.hpp"

namespace sotto::mechanism {
namespace {

const char* const kPureDraw = "analytic: pure ε per draw (ρ at most ε), draws·ε per text";

std::vector<ParameterInfo> masked_parameters() {
  return {
      {"context", "concat",
       "for modes with a mask: concat: the original text precedes the one with the mask; none: the mask "
       "alone "
       "in its text"},
      {"mode", "auto",
       "one-pass: one pass of the model over the text scores all words; parallel: each word is masked in the "
       "original text; sequential: as printed in the paper, a draw sees the words already drawn; auto: what "
       "the model's config.json says, otherwise parallel; a model takes only the modes it was made for"},
      {"wander", "auto",
       "a number from 0 to 1, for models made for it: at 0 a word stays where the law allows it; at 1 every "
       "word of content becomes a near but different one, and names become other names; changes what is "
       "told, not what is promised; auto: what the model's config.json says",
       ParameterKind::numbers},
      {"law", "auto",
       "balanced: weights with one public total, for models made for it; bounded: the exponential "
       "mechanism; auto: what the model's config.json says, otherwise bounded"},
      {"alpha", "off",
       "a number above 0: words are scored by similarity + alpha·score, where similarity is the cosine of "
       "the text with the word in its place and of the text as it was (the paper's is 0.003); off: by the "
       "score "
       "alone",
       ParameterKind::numbers},
      {"encoder", "sotto-en-encoder", "the sentence encoder of the similarity"},
      {"antonyms", "keep",
       "of the word that is replaced: keep: nothing; demote: they get the smallest weight that the guarantee "
       "allows; exclude: they cannot come out, which leaves no guarantee"},
      {"wordnet", "/usr/share/wordnet", "folder of WordNet's files, for antonyms"},
      {"window", "0",
       "tokens of a longer text that a draw sees, around its own; 0: as many as the model was made for"}};
}

}  // namespace

MechanismInfo dp_mlm_info() {
  MechanismInfo info;
  info.name = "dp-mlm";
  info.summary = "draws a new word for each from a masked language model's scores, clipped or bounded";
  info.metric = "none: pure epsilon";
  info.guarantee = kPureDraw;
  info.speed = "one model pass per text, or per word with a model that masks";
  info.use_when = "the text must read well and its words must fit together";
  info.default_model = "sotto-en-mlm";
  info.parameters = masked_parameters();
  return info;
}

MechanismInfo dp_mlm_plus_info() {
  MechanismInfo info = dp_mlm_info();
  info.name = "dp-mlm-plus";
  info.summary =
      "rewrites as dp-mlm does, but also leaves words out and adds some, so that the length changes";
  info.guarantee = "analytic: pure ε per draw (ρ at most ε), at most 2n·ε per text, (1−D+A)n·ε on average";
  info.use_when = "the number of words should vary";
  info.parameters.push_back(
      {"addition", "0.1", "probability A, from 0 to 1, that a word is added after a place"});
  info.parameters.push_back({"deletion", "0.05", "probability D, from 0 to 1, that a place is left out"});
  return info;
}

MechanismInfo dp_paraphrase_info() {
  MechanismInfo info;
  info.name = "dp-paraphrase";
  info.summary = "rewrites each text with a causal language model, token by token, logits clipped";
  info.metric = "none: pure epsilon";
  info.guarantee = "analytic: pure ε per draw (ρ at most ε), n·ε per text of n tokens";
  info.speed = "one model pass per token";
  info.use_when = "you want a baseline for comparisons: it keeps far less of a text than dp-mlm";
  info.default_model = "sotto-en-paraphrase";
  info.parameters = {
      {"length", "input",
       "maximum tokens of an output: input, as many as the text has, which is revealed; or a number "
       "for all texts",
       ParameterKind::numbers},
      {"prompt", "auto", "what the model is given, with {} where the text goes; auto: the model's own"}};
  return info;
}

MechanismInfo dp_prompt_info() {
  MechanismInfo info = dp_paraphrase_info();
  info.name = "dp-prompt";
  info.summary =
      "asks an encoder-decoder, which you must bring, for a paraphrase and draws its answer token by token, "
      "logits clipped";
  info.use_when = "you have an instruction-tuned T5 model and want a baseline for comparisons";
  info.default_model = "";  // no model is shipped
  return info;
}

}  // namespace sotto::mechanism
