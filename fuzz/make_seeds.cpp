// Writes the seeds that cannot be written by hand: fuzz_seeds FOLDER (fuzz/corpus). Leaves the others alone.
#include <sotto/certificate.hpp>

#include "fuzz.hpp"
#include "pipeline/records/output_target.hpp"
#include "privacy/ledger_store.hpp"
#include "privacy/sqlite.hpp"
#include "strange_words.hpp"
#include "support/phrase_model.hpp"
#include "support/tiny_wordnet.hpp"
#include "support/word_map_builder.hpp"

namespace {

using namespace sotto;
namespace fs = std::filesystem;

void write(const fs::path& file, std::string_view content) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

void copy_to(const fs::path& file, std::initializer_list<fs::path> folders) {
  for (const fs::path& folder : folders) {
    fs::create_directories(folder);
    fs::copy_file(file, folder / file.filename(), fs::copy_options::overwrite_existing);
  }
}

void write_models(const fs::path& corpus) {
  const fs::path tiny = fuzz::scratch() / "tiny.safetensors";
  testing::write_tiny_model(tiny);
  testing::VectorModel bytes = testing::tiny_model_parts();
  for (int& value : bytes.vectors) value /= 8;
  bytes.bits = 8;
  const fs::path small = fuzz::scratch() / "bytes.safetensors";
  testing::write_vector_model(small, bytes);
  const fs::path lists = fuzz::scratch() / "lists.safetensors";
  testing::write_list_set(lists, {"a", "soup", "dogs", "Paris", "\u00FCber"},
                          {{"one", {0, 1, 2, 3, 4}}, {"two", {4, 2, 0, 1, 3}}});
  const fs::path phrases = fuzz::scratch() / "phrases.safetensors";
  fuzz::value_of(write_phrase_table(phrases, testing::few_phrases(), {{"source", "seeds"}}));
  const fs::path both = fuzz::scratch() / "with-phrases.safetensors";
  testing::write_phrase_model(both, testing::phrase_model_parts(), testing::few_phrases());
  for (const fs::path& model : {tiny, small, lists})
    copy_to(model, {corpus / "model", corpus / "safetensors"});
  copy_to(phrases, {corpus / "phrases", corpus / "safetensors"});
  copy_to(both, {corpus / "phrases", corpus / "model"});
  const auto model = fuzz::value_of(Model::open(tiny));
  fuzz::require(
      export_vectors(*model, fuzz::scratch() / "word2vec-text", ExportFormat::word2vec_text) &&
          export_vectors(*model, fuzz::scratch() / "word2vec-binary", ExportFormat::word2vec_binary),
      "a model can be exported");
  for (const char* name : {"word2vec-text", "word2vec-binary"})
    copy_to(fuzz::scratch() / name, {corpus / "vectors"});
}

void write_word_maps(const fs::path& corpus) {
  const fs::path map =
      testing::write_word_map(fuzz::scratch() / "small.safetensors", testing::small_word_map());
  copy_to(map, {corpus / "word_map", corpus / "safetensors"});
}

void write_certificate(const fs::path& corpus) {
  Certificate certificate;
  certificate.subject = {"tem", {{"beta", "0.001"}}, 2, std::string(64, 'a'), std::string(64, 'b'), 1};
  certificate.model = "tiny";
  certificate.unit = {"euclidean", std::string(64, 'a')};
  certificate.method = "all pairs";
  certificate.epsilon = 1.75;
  certificate.attained = 1.5;
  certificate.worst = {"dog", "cat", "soup", 6, 7, 5, 0.5, 0.875};
  certificate.inputs = certificate.outputs = 12;
  certificate.pairs = certificate.exact_pairs = 66;
  write(corpus / "certificate" / "tem.json", to_json(certificate));
}

/// A ledger with pages of 512 bytes, to keep it small, and without a separate log.
void write_ledger(const fs::path& corpus, const std::string& name, std::size_t records) {
  const fs::path file = fuzz::scratch() / name;
  {
    const auto store = fuzz::value_of(privacy::LedgerStore::open(file, 1));
    for (std::size_t i = 0; i < records; ++i) {
      privacy::LedgerDocument document;
      document.tag.fill(static_cast<unsigned char>(i));
      document.amount = 700'000'000;
      privacy::LedgerRequest request;
      request.subject = i % 2 == 0 ? "alice" : "bob";
      request.dataset = "set";
      request.record = i;
      request.documents = {&document, 1};
      fuzz::require(store->charge({&request, 1}, {"pure", 2'000'000'000, {}}).has_value(),
                    "seeds are charged");
    }
  }
  auto database = fuzz::value_of(privacy::Database::open(file, privacy::Database::Access::write, 1));
  fuzz::require(database.execute("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM").has_value(),
                "a ledger can be made small");
  copy_to(file, {corpus / "ledger"});
}

void write_checkpoint(const fs::path& corpus) {
  pipeline::Progress progress;
  {
    const auto output =
        fuzz::value_of(pipeline::open_resumable_output(fuzz::scratch() / "note", "fingerprint", progress));
    fuzz::require(output->write("what").has_value(), "an output can be written");
    progress.position = {0, 5, 1};
    progress.output_bytes = 4;
    progress.clear_fields = {"id"};
    fuzz::require(output->progressed(progress).has_value(), "a run makes progress");
  }
  copy_to(fuzz::scratch() / "note.checkpoint", {corpus / "checkpoint"});
}

void write_wordnet(const fs::path& corpus) {
  const fs::path folder = fuzz::scratch() / "wordnet";
  fs::create_directories(folder);
  testing::write_tiny_wordnet(folder,
                              {{'n', {"dog", "domestic_dog"}},
                               {'n', {"goose"}},
                               {'v', {"run", "go"}},
                               {'a', {"good"}, 4},
                               {'a', {"bad"}, 3},
                               {'r', {"well"}}},
                              {{'n', "geese goose\n"}});
  std::string packed;
  for (const char* part : {"noun", "verb", "adj", "adv"})
    for (const std::string& name :
         {std::string("index.") + part, std::string("data.") + part, part + std::string(".exc")}) {
      std::ifstream stream(folder / name, std::ios::binary);
      packed += "=== " + name + "\n";
      packed.append(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
  write(corpus / "wordnet" / "tiny", packed);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
    return 2;
  }
  const fs::path corpus = argv[1];
  write_models(corpus);
  write_word_maps(corpus);
  write_certificate(corpus);
  write_ledger(corpus, "empty", 0);
  write_ledger(corpus, "charged", 7);
  write_checkpoint(corpus);
  write_wordnet(corpus);
  return 0;
}
