// Word lists: what is read from files, and how malformed ones are refused.
#include "evaluate/word_task_fixture.hpp"
#include "support/list_set.hpp"
#include "support/result_matchers.hpp"

namespace sotto::testing {
namespace {

using namespace sotto::evaluate;

TEST_F(WordTaskTest, LabelsPriorAndLosses) {
  const WordTask read = task(labelled());
  EXPECT_EQ(read.listed, 13U);
  ASSERT_EQ(read.secrets.words.size(), 12U);
  EXPECT_EQ(read.model->size(), 12U);
  const double sum = 7 + 5 + 1 + 3 + 1 + 2 + 1 + 1 + 1 + 1 + 1 + 2;
  EXPECT_DOUBLE_EQ(read.secrets.prior[id("the")], 7 / sum);
  EXPECT_DOUBLE_EQ(read.secrets.prior[id("soup")], 2 / sum) << "listed twice";
  EXPECT_EQ(read.losses(id("pizza"), id("pizza")), 0);
  EXPECT_EQ(read.losses(id("pizza"), id("pasta")), 0);
  EXPECT_EQ(read.losses(id("pizza"), id("dog")), 1);
  EXPECT_EQ(read.losses(id("pizza"), id("soup")), 0) << "both are food";
  EXPECT_EQ(read.losses(id("soup"), id("dog")), 0) << "both are animals";
  EXPECT_EQ(read.losses(id("soup"), id("rome")), 1);
}

TEST_F(WordTaskTest, FilesByClass) {
  WordTaskOptions options;
  options.outputs = "list";
  options.classes = {{"good", write("good.txt", ";\n; a comment\n\npizza\n  dog \nrome\r\n")},
                     {"bad", write("bad.txt", "soup\ncat\nZanzibar\nrome\n")}};
  const WordTask read = task(options);
  EXPECT_EQ(read.listed, 6U);
  ASSERT_EQ(read.model->size(), 5U) << "the model is cut down to the list";
  EXPECT_EQ(read.model->word(0), "pizza");
  EXPECT_EQ(read.model->word(4), "rome");
  EXPECT_EQ(read.model->counts()[4], 100U);
  EXPECT_EQ(read.model->squared_distance(0, 4), model_->squared_distance(id("pizza"), id("rome")));
  EXPECT_DOUBLE_EQ(read.secrets.prior[4], 2.0 / 6);
  EXPECT_EQ(read.losses(0, 1), 1);
  EXPECT_EQ(read.losses(0, 2), 0);
  EXPECT_EQ(read.losses(0, 4), 0);
}

TEST_F(WordTaskTest, ListsKeepTheirOrder) {
  model_ = write_list_set(folder_.path() / "lists.safetensors", letter_words(13),
                          {{"one", stepping_order(13, 1)}, {"two", stepping_order(13, 5)}});
  WordTaskOptions options;
  options.outputs = "list";
  options.table = write("letters.tsv", fmt::format("{}\tx\n{}\ty\n{}\tx\n", model_->word(2), model_->word(7),
                                                   model_->word(11)));
  const WordTask read = task(options);
  ASSERT_EQ(read.model->lists().size(), 2U);
  for (std::size_t list = 0; list < 2; ++list) {
    EXPECT_EQ(read.model->lists()[list].source, model_->lists()[list].source);
    std::vector<std::string> kept;
    for (const TokenId word : model_->lists()[list].order)
      if (word == 2 || word == 7 || word == 11) kept.emplace_back(model_->word(word));
    std::vector<std::string> order;
    for (const TokenId word : read.model->lists()[list].order) order.emplace_back(read.model->word(word));
    EXPECT_EQ(order, kept);
  }
}

TEST_F(WordTaskTest, AllWordsOfTheModelMayComeOut) {
  WordTaskOptions options;
  options.classes = {{"good", write("good.txt", "pizza\ndog\n")}, {"bad", write("bad.txt", "soup\n")}};
  options.unlabelled_loss = 0.25;
  options.prior = "counts";
  const WordTask read = task(options);
  EXPECT_EQ(read.model->size(), 12U);
  EXPECT_EQ(read.secrets.words, (std::vector<TokenId>{id("pizza"), id("soup"), id("dog")}));
  EXPECT_DOUBLE_EQ(read.secrets.prior[0], 900.0 / (900 + 700 + 600));
  EXPECT_EQ(read.losses(id("pizza"), id("rome")), 0.25);
  EXPECT_EQ(read.losses(id("pizza"), id("soup")), 1);
  EXPECT_EQ(read.losses.largest(), 1);
}

// Mechanisms on different models can be compared only on the same secrets.
TEST_F(WordTaskTest, SeveralModelsShareTheirWords) {
  const auto lists = write_list_set(folder_.path() / "lists.safetensors", {"rome", "pizza", "extra", "cat"},
                                    {{"one", stepping_order(4, 1)}});
  const auto tasks = WordTask::read_all({model_, lists}, labelled());
  ASSERT_TRUE(tasks) << tasks.error().message;
  ASSERT_EQ(tasks->size(), 2U);
  for (const WordTask& one : *tasks) {
    EXPECT_EQ(one.listed, 13U) << "of the list, whatever the models have";
    std::map<std::string, double> prior;
    for (std::size_t i = 0; i < one.secrets.words.size(); ++i)
      prior[std::string(one.model->word(one.secrets.words[i]))] = one.secrets.prior[i];
    EXPECT_EQ(prior,
              (std::map<std::string, double>{{"cat", 1.0 / 6}, {"pizza", 3.0 / 6}, {"rome", 2.0 / 6}}));
  }
  const auto apart = write_list_set(folder_.path() / "apart.safetensors", {"extra", "more"},
                                    {{"one", stepping_order(2, 1)}});
  expect_error(WordTask::read_all({model_, apart}, labelled()), Errc::invalid_argument, "words",
               {"none of the 13 words", "apart"});
}

TEST_F(WordTaskTest, LossesBetweenLabels) {
  WordTaskOptions options = labelled();
  options.losses = write("losses.tsv", "food\tanimal\t0.5\nfunction\tcity\t3\ncity\tfunction\t2\n");
  const WordTask read = task(options);
  EXPECT_EQ(read.losses(id("pizza"), id("dog")), 0.5);
  EXPECT_EQ(read.losses(id("dog"), id("pizza")), 0.5) << "given one way only";
  EXPECT_EQ(read.losses(id("the"), id("rome")), 3);
  EXPECT_EQ(read.losses(id("rome"), id("the")), 2);
  EXPECT_EQ(read.losses(id("rome"), id("dog")), 1) << "not given";
  EXPECT_EQ(read.losses.largest(), 3);
}

TEST_F(WordTaskTest, LossesBetweenWords) {
  WordTaskOptions options;
  options.outputs = "list";
  options.table = write("words.txt", "pizza\npasta\nrome\n");
  options.losses = write("losses.tsv", "pizza\tpasta\t0.1\nrome\tpizza\t2\npizza\trome\t4\n");
  const WordTask read = task(options);
  EXPECT_EQ(read.losses(0, 1), 0.1);
  EXPECT_EQ(read.losses(1, 0), 0.1);
  EXPECT_EQ(read.losses(0, 2), 4);
  EXPECT_EQ(read.losses(2, 0), 2);
  EXPECT_EQ(read.losses(1, 2), 1);
  EXPECT_EQ(read.losses(2, 2), 0);
}

TEST_F(WordTaskTest, ErrorsNameFileAndLine) {
  const auto with = [&](const std::string& content) {
    WordTaskOptions options;
    options.table = write("list.tsv", content);
    return WordTask::read(model_, options);
  };
  expect_error(WordTask::read(model_, {}), Errc::invalid_argument, "words", {"class_files LABEL=FILE"});
  expect_error(with(""), Errc::bad_format, {"list.tsv", "no words"});
  expect_error(with("pizza\tfood\nrome\n"), Errc::invalid_argument, "words", {"1 of 2 words", "no label"});
  expect_error(with("pizza\tfood\t-1\n"), Errc::bad_format, {"list.tsv", "line 1", "count"});
  expect_error(with("pizza\tfood\t1\t2\n"), Errc::bad_format, {"line 1", "label"});
  expect_error(with(std::string("pizza\tfood\n\x80\xFF\n", 14)), Errc::bad_format, {"line 2", "UTF-8"});
  expect_error(with(std::string("a\0b\tfood\n", 9)), Errc::bad_format, {"line 1", "UTF-8"});
  expect_error(with("xyzzy\tfood\n"), Errc::invalid_argument, "words", {"none of the 1 words"});
  expect_error(with("pizza\tfood\t0\n"), Errc::invalid_argument, "words", {"counts", "0"});

  WordTaskOptions options = labelled();
  options.prior = "zipf";
  expect_error(WordTask::read(model_, options), Errc::invalid_argument, "prior", {"'zipf'"});
  options = labelled();
  options.outputs = "all";
  expect_error(WordTask::read(model_, options), Errc::invalid_argument, "outputs", {"'all'"});
  options = labelled();
  options.losses = write("losses.tsv", "food\tanimal\n");
  expect_error(WordTask::read(model_, options), Errc::bad_format, {"losses.tsv", "line 1"});
  options.losses = write("losses.tsv", "food\tanimal\tmuch\n");
  expect_error(WordTask::read(model_, options), Errc::bad_format, {"line 1", "loss"});
  options.losses = write("losses.tsv", "food\tanimal\t1\nfood\tminerals\t1\n");
  expect_error(WordTask::read(model_, options), Errc::bad_format, {"line 1", "neither a label nor a word"});
  options.table = folder_.path() / "absent.tsv";
  expect_error(WordTask::read(model_, options), Errc::not_found, {"absent.tsv"});
}

}  // namespace
}  // namespace sotto::testing
