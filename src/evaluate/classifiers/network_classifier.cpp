#include "evaluate/classifiers/network_classifier.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include <sotto/language_models.hpp>

#include "base/checked_value.hpp"
#include "evaluate/classifiers/network_reader.hpp"
#include "evaluate/classifiers/network_training.hpp"
#include "random/bit_sources.hpp"

namespace sotto::evaluate {
namespace {

/// An untrained network and its reader of texts.
struct FreshNetwork {
  std::unique_ptr<lm::TrainableNetwork> network;
  std::unique_ptr<const NetworkReader> reader;
};

/// What distinguishes one kind of network from another.
class NetworkKind {
 public:
  virtual ~NetworkKind() = default;
  virtual Result<FreshNetwork> make(bool pairs, const lm::NetworkSettings& settings) const = 0;
};

class RecurrentKind final : public NetworkKind {
 public:
  RecurrentKind(std::shared_ptr<const Model> model, const lm::RecurrentShape& shape, std::size_t most)
      : model_(std::move(model)), shape_(shape), most_(most) {}

  Result<FreshNetwork> make(bool pairs, const lm::NetworkSettings& settings) const override {
    SOTTO_ASSIGN(lm::NetworkBackend* const backend, lm::network_backend());
    const std::vector<float> rows = embedding_rows(*model_);
    lm::RecurrentShape shape = shape_;
    shape.vectors = rows;
    shape.dimension = model_->dimension();
    shape.pairs = pairs;
    FreshNetwork fresh;
    SOTTO_ASSIGN(fresh.network, backend->make_recurrent(shape, settings));
    fresh.reader = make_word_reader(model_, most_);
    return fresh;
  }

 private:
  std::shared_ptr<const Model> model_;
  lm::RecurrentShape shape_;
  std::size_t most_;
};

class TransformerKind final : public NetworkKind {
 public:
  TransformerKind(std::filesystem::path folder, lm::StatePooling pooling, std::size_t most)
      : folder_(std::move(folder)), pooling_(pooling), most_(most) {}

  Result<FreshNetwork> make(bool pairs, const lm::NetworkSettings& settings) const override {
    SOTTO_ASSIGN(lm::NetworkBackend* const backend, lm::network_backend());
    FreshNetwork fresh;
    SOTTO_ASSIGN(fresh.network, backend->open_transformer(folder_, pooling_, settings));
    SOTTO_ASSIGN(fresh.reader, make_subword_reader(folder_, fresh.network->limits(), most_, pairs));
    return fresh;
  }

 private:
  std::filesystem::path folder_;
  lm::StatePooling pooling_;
  std::size_t most_;
};

/// Values as the network sees them: standardized to mean 0 and deviation 1.
struct ValueScale {
  double mean = 0;
  double deviation = 1;

  static ValueScale of(std::span<const LabelledText> texts) {
    ValueScale scale;
    for (const LabelledText& text : texts) scale.mean += text.value / static_cast<double>(texts.size());
    double squares = 0;
    for (const LabelledText& text : texts) squares += std::pow(text.value - scale.mean, 2);
    if (squares > 0) scale.deviation = std::sqrt(squares / static_cast<double>(texts.size()));
    return scale;
  }
};

struct Parts {
  std::vector<LabelledText> train;
  std::vector<LabelledText> validation;
};

/// Texts held out from training if none were given for validation.
Parts split(std::span<const LabelledText> texts, double share, std::uint64_t seed) {
  Parts parts;
  const auto held = static_cast<std::size_t>(share * static_cast<double>(texts.size()));
  // A different stream from the one that shuffles batches.
  random::ChaChaBitSource bits(random::key_from_seed(~seed));
  const std::vector<std::uint32_t> order = random_order(texts.size(), bits);
  for (std::size_t i = 0; i < order.size(); ++i)
    (i < held ? parts.validation : parts.train).push_back(texts[order[i]]);
  return parts;
}

struct ClassifierOptions {
  TrainingPlan plan;
  lm::NetworkSettings settings;
  double holdout = 0;
};

class NetworkClassifier final : public Classifier {
 public:
  NetworkClassifier(std::string name, std::unique_ptr<const NetworkKind> kind,
                    const ClassifierOptions& options)
      : name_(std::move(name)), kind_(std::move(kind)), options_(options) {}

  Result<void> fit(const Task& task, std::span<const LabelledText> train,
                   std::span<const LabelledText> validation, std::uint64_t seed,
                   const ProgressCallback& progress) override {
    fresh_ = {};
    epochs_.clear();
    if (validation.empty() && options_.holdout > 0) {
      const Parts parts = split(train, options_.holdout, seed);
      return learn(task, parts.train, parts.validation, seed, progress);
    }
    return learn(task, train, validation, seed, progress);
  }

  Result<std::vector<Prediction>> predict(std::span<const LabelledText> texts) override {
    if (!fresh_.network)
      return fail(Errc::invalid_argument, fmt::format("classifier {}: nothing has been learnt yet", name_));
    const NetworkTexts read = read_texts(*fresh_.reader, texts, task_.pairs, options_.settings.threads);
    const std::size_t outputs = fresh_.network->outputs();
    std::vector<float> answers(texts.size() * outputs);
    SOTTO_TRY(fresh_.network->answer(read.input(), answers));
    std::vector<Prediction> predictions(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto row = std::span(answers).subspan(i * outputs, outputs);
      if (task_.kind == TaskKind::regression) {
        predictions[i].value = scale_.mean + scale_.deviation * row[0];
        continue;
      }
      const auto best = std::max_element(row.begin(), row.end());
      predictions[i] = {static_cast<ClassIndex>(best - row.begin()), *best};
    }
    return predictions;
  }

  std::span<const EpochReport> epochs() const override { return epochs_; }

 private:
  NetworkTexts read(const FreshNetwork& fresh, std::span<const LabelledText> texts) const {
    NetworkTexts result = read_texts(*fresh.reader, texts, task_.pairs, options_.settings.threads);
    for (const LabelledText& text : texts)
      result.targets.push_back(static_cast<float>(
          task_.kind == TaskKind::regression ? (text.value - scale_.mean) / scale_.deviation : text.label));
    return result;
  }

  Result<void> learn(const Task& task, std::span<const LabelledText> train,
                     std::span<const LabelledText> validation, std::uint64_t seed,
                     const ProgressCallback& progress) {
    task_ = task;
    scale_ = task.kind == TaskKind::regression ? ValueScale::of(train) : ValueScale{};
    lm::NetworkSettings settings = options_.settings;
    settings.classes =
        task.kind == TaskKind::regression ? 0 : static_cast<std::uint32_t>(task.class_names.size());
    settings.seed = seed;
    SOTTO_ASSIGN(FreshNetwork fresh, kind_->make(task.pairs, settings));
    TrainingPlan plan = options_.plan;
    plan.kind = task.kind;
    plan.seed = seed;
    SOTTO_ASSIGN(epochs_,
                 train_network(*fresh.network, read(fresh, train), read(fresh, validation), plan, progress));
    fresh_ = std::move(fresh);
    return {};
  }

  std::string name_;
  std::unique_ptr<const NetworkKind> kind_;
  ClassifierOptions options_;
  Task task_;
  ValueScale scale_;
  FreshNetwork fresh_;  // empty until trained
  std::vector<EpochReport> epochs_;
};

/// Checked parameter values; messages name the classifier and the parameter.
class Values {
 public:
  Values(std::string_view classifier, const ParameterValues& values)
      : classifier_(classifier), values_(values) {}

  const std::string& text(const std::string& name) const { return values_.at(name); }
  Result<std::uint32_t> whole(const std::string& name, std::uint64_t low, std::uint64_t high) const {
    SOTTO_ASSIGN(const std::uint64_t value, checked(read_integer(name, text(name), low, high)));
    return static_cast<std::uint32_t>(value);
  }
  Result<double> number(const std::string& name, double low, double high) const {
    return checked(read_number(name, text(name), low, high));
  }
  Result<std::size_t> choice(const std::string& name, const std::vector<std::string_view>& allowed) const {
    return checked(read_choice(name, text(name), allowed));
  }

 private:
  template <class T>
  Result<T> checked(Result<T> value) const {
    if (!value) return base::fail_at(fmt::format("classifier {}", classifier_), std::move(value.error()));
    return value;
  }

  std::string_view classifier_;
  const ParameterValues& values_;
};

constexpr std::uint64_t kMostEpochs = 1000;
constexpr std::uint64_t kLargestBatch = 4096;
constexpr std::uint64_t kMostWords = 4096;
constexpr std::uint64_t kMostHidden = 4096;

Result<ClassifierOptions> common_options(const Values& values) {
  ClassifierOptions options;
  SOTTO_ASSIGN(options.plan.epochs, values.whole("epochs", 1, kMostEpochs));
  SOTTO_ASSIGN(options.plan.patience, values.whole("patience", 0, kMostEpochs));
  SOTTO_ASSIGN(options.plan.batch, values.whole("batch", 1, kLargestBatch));
  SOTTO_ASSIGN(options.plan.learning_rate, values.number("learning_rate", 1e-9, 10));
  SOTTO_ASSIGN(options.plan.warm_up, values.number("warm_up", 0, 1));
  SOTTO_ASSIGN(const std::size_t schedule, values.choice("schedule", {"constant", "linear"}));
  options.plan.decays = schedule == 1;
  SOTTO_ASSIGN(options.settings.dropout, values.number("dropout", 0, 0.9));
  SOTTO_ASSIGN(options.settings.weight_decay, values.number("weight_decay", 0, 10));
  SOTTO_ASSIGN(options.settings.largest_norm, values.number("clip", 0, 1e6));
  SOTTO_ASSIGN(options.holdout, values.number("holdout", 0, 0.5));
  SOTTO_ASSIGN(const std::size_t device, values.choice("device", {kDeviceNames.begin(), kDeviceNames.end()}));
  options.settings.device = static_cast<Device>(device);
  SOTTO_ASSIGN(options.settings.threads, values.whole("threads", 0, 1024));
  return options;
}

Result<std::unique_ptr<const NetworkKind>> recurrent_kind(const Values& values, bool bidirectional) {
  lm::RecurrentShape shape;
  shape.bidirectional = bidirectional;
  SOTTO_ASSIGN(shape.hidden, values.whole("hidden", 1, kMostHidden));
  SOTTO_ASSIGN(shape.layers, values.whole("layers", 1, 16));
  SOTTO_ASSIGN(const std::size_t vectors, values.choice("vectors", {"fixed", "trained"}));
  shape.train_vectors = vectors == 1;
  SOTTO_ASSIGN(const std::uint32_t most, values.whole("max_length", 1, kMostWords));
  SOTTO_ASSIGN(const std::filesystem::path file, find_model(values.text("model")));
  SOTTO_ASSIGN(std::shared_ptr<const Model> model, Model::open(file));
  if (model->dimension() == 0)
    return fail(Errc::invalid_argument,
                fmt::format("{}: it has word lists and no vectors, which an LSTM needs", file.string()));
  return std::make_unique<const RecurrentKind>(std::move(model), shape, most);
}

Result<std::unique_ptr<const NetworkKind>> transformer_kind(const Values& values) {
  SOTTO_ASSIGN(const std::size_t pooling, values.choice("pooling", {"auto", "first", "mean"}));
  SOTTO_ASSIGN(const std::uint32_t most, values.whole("max_length", 8, kMostWords));
  SOTTO_ASSIGN(std::filesystem::path folder, find_language_model(values.text("model")));
  constexpr lm::StatePooling kPoolings[] = {lm::StatePooling::automatic, lm::StatePooling::first,
                                            lm::StatePooling::mean};
  return std::make_unique<const TransformerKind>(std::move(folder), kPoolings[pooling], most);
}

struct TrainingDefaults {
  const char* epochs;
  const char* patience;
  const char* batch;
  const char* learning_rate;
  const char* schedule;
  const char* dropout;
  const char* clip;
  const char* max_length;
  const char* holdout;
};

void add_training(ClassifierInfo& info, const TrainingDefaults& defaults) {
  const std::vector<ParameterInfo> parameters = {
      {"epochs", defaults.epochs, "maximum passes over the training texts, 1 to 1000"},
      {"patience", defaults.patience,
       "stop after this many epochs without a better score on the validation texts, 0 (never) to 1000"},
      {"batch", defaults.batch, "texts per step, 1 to 4096"},
      {"learning_rate", defaults.learning_rate, "Adam's, at its highest, 1e-9 to 10"},
      {"warm_up", "0", "share of all steps in which the rate rises from 0, 0 to 1"},
      {"schedule", defaults.schedule, "of the rate after that: constant, or linear (falls to 0)"},
      {"dropout", defaults.dropout, "share of numbers set to 0 while learning, 0 to 0.9"},
      {"weight_decay", "0", "of matrices, decoupled, 0 to 10"},
      {"clip", defaults.clip, "longer gradients are shortened to this, 0 (never) to 1e6"},
      {"max_length", defaults.max_length,
       "longer texts are cut after this many words or subwords, up to 4096"},
      {"holdout", defaults.holdout,
       "share of the training texts that is held back for validation where none is given, 0 to 0.5"},
      {"device", "cpu", "cpu or cuda"},
      {"threads", "0", "0 (one per processor) to 1024; they do not change the result"}};
  info.parameters.insert(info.parameters.end(), parameters.begin(), parameters.end());
}

ClassifierInfo recurrent_info(const char* name, const char* summary) {
  ClassifierInfo info{name,
                      summary,
                      {{"model", "sotto-en-skipgram", "word vectors: name or path of a model"},
                       {"vectors", "fixed", "fixed, or trained with the rest"},
                       {"hidden", "128", "size of the state, in each direction, 1 to 4096"},
                       {"layers", "1", "LSTMs on top of each other, 1 to 16"}}};
  add_training(info, {.epochs = "30",
                      .patience = "3",
                      .batch = "64",
                      .learning_rate = "0.001",
                      .schedule = "constant",
                      .dropout = "0.2",
                      .clip = "1",
                      .max_length = "256",
                      .holdout = "0.1"});
  return info;
}

ClassifierInfo transformer_info() {
  ClassifierInfo info{
      "transformer",
      "a masked language model or sentence encoder, all of it tuned to the task; needs libtorch",
      {{"model", "sotto-en-encoder", "language model: name or path of a folder"},
       {"pooling", "auto",
        "what the head reads: the state of the first token (first), the mean of all (mean), "
        "or mean where the model was made for it (auto)"}}};
  add_training(info, {.epochs = "1",
                      .patience = "0",
                      .batch = "8",
                      .learning_rate = "5e-5",
                      .schedule = "linear",
                      .dropout = "0.1",
                      .clip = "1",
                      .max_length = "256",
                      .holdout = "0"});
  return info;
}

}  // namespace

const std::vector<ClassifierInfo>& network_classifier_infos() {
  static const std::vector<ClassifierInfo> infos = {
      recurrent_info("lstm", "word vectors, an LSTM and a linear layer on its last state; needs libtorch"),
      recurrent_info("bilstm", "as lstm, reading texts in both directions; needs libtorch"),
      transformer_info()};
  return infos;
}

Result<std::unique_ptr<Classifier>> make_network_classifier(std::string_view name,
                                                            const ParameterValues& parameters) {
  const Values values(name, parameters);
  SOTTO_ASSIGN(const ClassifierOptions options, common_options(values));
  SOTTO_TRY(lm::network_backend());
  SOTTO_ASSIGN(std::unique_ptr<const NetworkKind> kind,
               name == "transformer" ? transformer_kind(values) : recurrent_kind(values, name == "bilstm"));
  return std::make_unique<NetworkClassifier>(std::string(name), std::move(kind), options);
}

}  // namespace sotto::evaluate
