#include "lm/calibration.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_numbers.hpp"
#include "base/message.hpp"
#include "lm/masked_input.hpp"
#include "random/bit_sources.hpp"
#include "random/integer_samplers.hpp"

namespace sotto::lm {
namespace {

constexpr std::size_t kCalibrationBatch = 16;
constexpr double kDeviations = 4;
constexpr std::size_t kWrittenTokens = 8;

/// Running mean and deviation (Welford's method).
class Moments {
 public:
  Result<void> add(std::span<const float> logits, std::span<const std::uint32_t> outcomes) {
    for (const std::uint32_t outcome : outcomes) {
      const double value = logits[outcome];
      if (!std::isfinite(value))
        return fail(Errc::bad_format, "the model answered with a logit that is not a finite number");
      ++count_;
      const double from_old = value - mean_;
      mean_ += from_old / static_cast<double>(count_);
      squares_ += from_old * (value - mean_);
    }
    return {};
  }

  Result<Calibration> finish(std::size_t texts) const {
    Calibration calibration;
    calibration.mean = mean_;
    calibration.deviation = count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
    calibration.texts = texts;
    calibration.logits = count_;
    if (!(calibration.deviation > 0))
      return fail(Errc::bad_format, "all logits of the public text are equal; there is nothing to estimate");
    calibration.bounds = {static_cast<float>(mean_),
                          static_cast<float>(mean_ + kDeviations * calibration.deviation), false};
    return calibration;
  }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

bool has_word(std::string_view text) {
  std::vector<Token> tokens;
  tokenize(text, tokens);
  return std::any_of(tokens.begin(), tokens.end(),
                     [](const Token& token) { return token.token_class == TokenClass::word; });
}

Result<void> check_texts(std::span<const std::string> texts) {
  if (!texts.empty()) return {};
  return fail(Errc::bad_format, "the public text has no line with a word in it");
}

}  // namespace

std::vector<std::string> choose_texts(std::string_view text) {
  random::ChaChaBitSource coins(random::key_from_seed(0));
  std::vector<std::string> chosen;
  std::uint64_t seen = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::uint64_t replaced = 0;
    std::string line = replace_invalid_utf8(text.substr(begin, end - begin), replaced);
    begin = end + 1;
    if (!has_word(line)) continue;
    ++seen;
    if (chosen.size() < kCalibrationTexts) {
      chosen.push_back(std::move(line));
    } else if (const std::uint64_t place = random::uniform_below(coins, seen); place < chosen.size()) {
      chosen[place] = std::move(line);
    }
  }
  return chosen;
}

Result<Calibration> calibrate(const WordFiller& filler, std::span<const std::string> texts) {
  SOTTO_TRY(check_texts(texts));
  SOTTO_ASSIGN(const MaskedInput input, MaskedInput::make(filler, true, 0));
  const std::size_t size = filler.model().output_size();
  Moments moments;
  std::vector<Sequence> sequences(kCalibrationBatch);
  std::vector<std::uint32_t> places;
  std::vector<float> logits(kCalibrationBatch * size);
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    tokenize(texts[i], tokens);
    std::vector<std::size_t> words;
    for (std::size_t t = 0; t < tokens.size(); ++t)
      if (tokens[t].token_class == TokenClass::word) words.push_back(t);
    const MaskedText text(filler, texts[i], tokens);
    // Masks a different place in each text, so that beginnings and ends are represented too.
    places.push_back(text.mask(input, words[i % words.size()], false, sequences[places.size()]));
    if (places.size() < kCalibrationBatch && i + 1 < texts.size()) continue;
    const std::span<float> answers(logits.data(), places.size() * size);
    SOTTO_TRY(filler.model().logits(std::span(sequences).first(places.size()), places, answers));
    for (std::size_t k = 0; k < places.size(); ++k)
      SOTTO_TRY(moments.add(answers.subspan(k * size, size), filler.logits()));
    places.clear();
  }
  return moments.finish(texts.size());
}

Result<Calibration> calibrate(const TextWriter& writer, std::span<const std::string> texts) {
  SOTTO_TRY(check_texts(texts));
  const std::size_t size = writer.model().output_size();
  // Cuts texts so that they fit the model together with what is written after them.
  const std::size_t most = writer.model().max_positions() / 2;
  Moments moments;
  for (std::size_t begin = 0; begin < texts.size(); begin += kCalibrationBatch) {
    const std::size_t rows = std::min(kCalibrationBatch, texts.size() - begin);
    std::vector<Sequence> prompts;
    std::vector<std::vector<SubwordId>> ids;
    for (std::size_t i = 0; i < rows; ++i) {
      prompts.push_back(writer.prompt(writer.ids(std::string_view(texts[begin + i]).substr(0, most))));
      ids.push_back(writer.ids(texts[begin + i]));
    }
    std::vector<float> logits(rows * size);
    SOTTO_ASSIGN(const auto generation, writer.model().begin(prompts, logits));
    for (std::size_t step = 0;; ++step) {
      std::vector<std::int32_t> next(rows, writer.end());
      for (std::size_t i = 0; i < rows; ++i) {
        if (step > ids[i].size()) continue;
        SOTTO_TRY(moments.add(std::span(logits).subspan(i * size, size), writer.outcomes()));
        if (step < ids[i].size()) next[i] = static_cast<std::int32_t>(ids[i][step]);
      }
      if (step == kWrittenTokens) break;
      SOTTO_TRY(generation->append(next, logits));
    }
  }
  return moments.finish(texts.size());
}

Result<void> store_calibration(const std::filesystem::path& folder, const Calibration& calibration) {
  const nlohmann::ordered_json json = {{"lowest", calibration.bounds.lowest},
                                       {"highest", calibration.bounds.highest},
                                       {"mean", calibration.mean},
                                       {"standard_deviation", calibration.deviation},
                                       {"texts", calibration.texts},
                                       {"logits", calibration.logits},
                                       {"model", calibration.model_digest},
                                       {"text_sha256", calibration.text_digest}};
  SOTTO_ASSIGN(base::AtomicFile file, base::AtomicFile::create(folder / kCalibrationFile));
  SOTTO_TRY(file.write(json.dump(2) + "\n"));
  return file.commit();
}

Result<std::optional<Calibration>> read_calibration(const std::filesystem::path& folder,
                                                    const std::string& model_digest) {
  const std::filesystem::path file = folder / kCalibrationFile;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  SOTTO_ASSIGN(const std::string text, base::read_file(file));
  const auto json = base::parse_json(text);
  const auto wrong = [&](std::string_view what) {
    return fail(Errc::bad_format,
                base::format_message("{}: {}; recreate it with '{{0}}'", file.string(), what),
                {{"lm calibrate", {{"model", folder.string()}, {"public_text", ""}}}});
  };
  if (!json.is_object()) return wrong("this is not a calibration");
  Calibration calibration;
  try {
    calibration.bounds.lowest = json.at("lowest").get<float>();
    calibration.bounds.highest = json.at("highest").get<float>();
    calibration.mean = json.at("mean").get<double>();
    calibration.deviation = json.at("standard_deviation").get<double>();
    calibration.texts = base::whole_number<std::uint64_t>(json.at("texts"));
    calibration.logits = base::whole_number<std::uint64_t>(json.at("logits"));
    calibration.model_digest = json.at("model").get<std::string>();
    calibration.text_digest = json.at("text_sha256").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    return wrong("a field is missing or of the wrong kind");
  }
  if (!std::isfinite(calibration.bounds.lowest) || !std::isfinite(calibration.bounds.highest) ||
      calibration.bounds.lowest >= calibration.bounds.highest)
    return wrong("its bounds leave no room");
  if (calibration.model_digest != model_digest)
    return wrong("it was made for other files than the model now has");
  return calibration;
}

}  // namespace sotto::lm
