// Everything that affects the share of English words is part of a cell's key.
#include <gtest/gtest.h>

#include "evaluate/experiment/cell_store.hpp"
#include "evaluate/experiment/cells/cell_context.hpp"
#include "support/folder_test.hpp"
#include "support/result_matchers.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto {
namespace {

using namespace sotto::evaluate;
using testing::expect_error;

class OverlapCellTest : public testing::FolderTest {
 protected:
  OverlapCellTest() {
    write("notes.csv", "text\nthe soup was cold\n");
    DatasetEntry notes;
    notes.text = notes.privatize = {"text"};
    notes.splits = {{"test", "notes.csv", Format::csv, true, {}, TextPreparation::none, "", 0}};
    catalog_.datasets["notes"] = notes;
    catalog_.word_lists["english"] = {{{"", "english.txt"}}, ""};
    run_.datasets = {{"Notes", "notes", {}, {}}};
    run_.texts.emplace();
    run_.texts->metrics = {"english"};
    cell_.kind = CellKind::overlap;
    cell_.dataset = "Notes";
  }

  /// The identity of the cell of the original texts, with everything reread.
  Result<nlohmann::json> identity() {
    const ExperimentInputs inputs =
        ExperimentInputs::prepare(run_, catalog_, {folder_.path(), {}, 1, {}}).value();
    const CacheKeys cache_keys(inputs);
    const RewrittenTexts texts(run_, inputs, cache_keys, folder_.path());
    SharedTables shared;
    CellContext context{run_, inputs, cache_keys, texts, {}, shared, [] { return true; }};
    context.wordnet = path("wordnet").string();
    return overlap_cell().identity(context, cell_);
  }
  std::string key() { return cell_key(identity().value()); }

  void write_wordnet(const std::string& noun) const {
    std::filesystem::create_directory(path("wordnet"));
    testing::write_tiny_wordnet(path("wordnet"), {{'n', {noun}}});
  }

  DataCatalog catalog_;
  ExperimentSpec run_;
  Cell cell_;
};

TEST_F(OverlapCellTest, KeyDependsOnTheWordsOfTheList) {
  run_.texts->english = "english";
  write("english.txt", "soup\ncold\n");
  const std::string soup = key();
  EXPECT_EQ(identity()->dump().find("soup"), std::string::npos) << "the list itself is not kept";
  EXPECT_EQ(key(), soup);
  write("english.txt", "soup\nhot\n");
  EXPECT_NE(key(), soup);
  write("english.txt", "soupcold\n");
  EXPECT_NE(key(), soup);
}

TEST_F(OverlapCellTest, KeyDependsOnWordNet) {
  write_wordnet("soup");
  const std::string soup = key();
  EXPECT_EQ(key(), soup);
  write_wordnet("salad");
  const std::string salad = key();
  EXPECT_NE(salad, soup);
  run_.texts->metrics = {"pp"};
  const std::string without = key();
  write_wordnet("soup");
  EXPECT_EQ(key(), without) << "only the share of English words looks at WordNet";
}

TEST_F(OverlapCellTest, IsAbsentWithoutWordNet) {
  expect_error(identity(), Errc::not_found, {"English", "wordnet-base", path("wordnet").string()});
  run_.texts->metrics = {"pp"};
  EXPECT_TRUE(identity());
}

}  // namespace
}  // namespace sotto
