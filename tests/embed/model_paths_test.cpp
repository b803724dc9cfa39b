#include "embed/model_paths.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include <sotto/language_models.hpp>
#include <sotto/model.hpp>
#include <sotto/model_names.hpp>

#include "support/result_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny_model.hpp"

namespace sotto {
namespace {

using namespace sotto::embed;
using testing::expect_error;

// Sets or removes an environment variable, and restores it on destruction.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    if (value)
      ::setenv(name_, value->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> old_;
};

// Changes the current folder, creating it if necessary, and goes back on destruction.
class CurrentFolder {
 public:
  explicit CurrentFolder(const std::filesystem::path& folder) : before_(std::filesystem::current_path()) {
    std::filesystem::create_directories(folder);
    std::filesystem::current_path(folder);
  }
  ~CurrentFolder() { std::filesystem::current_path(before_); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  std::filesystem::path before_;
};

class ModelPathsTest : public ::testing::Test {
 protected:
  ModelPathsTest()
      : models_("SOTTO_MODELS", (folder_.path() / "a").string() + "::" + (folder_.path() / "b").string()),
        data_("XDG_DATA_HOME", (folder_.path() / "data").string()) {
    for (const char* name : {"a", "b", "data/sotto/models"})
      std::filesystem::create_directories(folder_.path() / name);
  }
  std::filesystem::path add(const std::string& name) const {
    testing::write_tiny_model(folder_.path() / name);
    return folder_.path() / name;
  }

  testing::TemporaryFolder folder_;
  Variable models_;
  Variable data_;
};

TEST_F(ModelPathsTest, NamesAreSearchedInOrder) {
  const auto in_data = add("data/sotto/models/m.safetensors");
  EXPECT_EQ(find_model("m").value(), in_data);
  const auto in_b = add("b/m.safetensors");
  EXPECT_EQ(find_model("m").value(), in_b);
  const auto in_a = add("a/m.safetensors");
  EXPECT_EQ(find_model("m").value(), in_a);
  const auto other = add("b/k.safetensors");
  // The program's own folders come after these; nothing is assumed about them.
  auto models = list_models();
  ASSERT_GE(models.size(), 2U);
  EXPECT_EQ(models[0], in_a);
  EXPECT_EQ(models[1], other);
  EXPECT_EQ(std::count(models.begin(), models.end(), in_b), 0) << "shadowed";
}

// It is no model, so it neither appears among them nor is found by a model's name.
TEST_F(ModelPathsTest, TheWordMapIsFoundButNotListed) {
  std::filesystem::create_directories(folder_.path() / "a/sotto-en-word-map");
  const auto map = add("a/sotto-en-word-map/word-map.safetensors");
  EXPECT_EQ(find_word_map().value(), map);
  const auto models = list_models();
  EXPECT_EQ(std::count(models.begin(), models.end(), map), 0);
  const auto names = language_model_names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "sotto-en-word-map"), 0);
  expect_error(find_model("word-map"), Errc::not_found, {"'word-map'"});
}

TEST_F(ModelPathsTest, PathsAreTakenAsTheyAre) {
  const auto file = add("b/m.safetensors");
  EXPECT_EQ(find_model(file.string()).value(), file);
  expect_error(find_model("./m"), Errc::not_found, {"./m"});
  expect_error(find_model("absent.safetensors"), Errc::not_found, {"absent.safetensors"});
  expect_error(find_model(folder_.path().string()), Errc::not_found,
               {folder_.path().string(), "is a folder"});
}

// Whoever can leave a file or a folder where the program is started must not decide what a name means.
TEST_F(ModelPathsTest, TheCurrentFolderNeverStandsInForAName) {
  const auto known = add("a/m.safetensors");
  const CurrentFolder here(folder_.path() / "here");
  add("here/m.safetensors");
  add("here/own.safetensors");
  EXPECT_EQ(find_model("m").value(), known);
  expect_error(find_model("own"), Errc::not_found, {"'own'"});
  EXPECT_EQ(find_model("./m.safetensors").value(), "./m.safetensors");
  expect_error(find_model("m.safetensors"), Errc::invalid_argument, {"'m'", "./m.safetensors"});
  EXPECT_EQ(find_model("own.safetensors").value(), "own.safetensors");
  const Variable models("SOTTO_MODELS", (folder_.path() / "here").string());
  EXPECT_EQ(find_model("m.safetensors").value(), "m.safetensors") << "no other model has that name";
}

TEST_F(ModelPathsTest, TheCurrentFolderNeverStandsInForALanguageModel) {
  const CurrentFolder here(folder_.path() / "here");
  const auto language = folder_.path() / "a" / "lm";
  for (const auto& folder : {language, folder_.path() / "here" / "lm", folder_.path() / "here" / "other"}) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "config.json") << "{}";
  }
  EXPECT_EQ(find_language_model("lm").value(), language);
  EXPECT_EQ(find_language_model("./lm").value(), "./lm");
  expect_error(find_language_model("other"), Errc::not_found, {"'other'", "lm"});
  EXPECT_EQ(find_language_model("./other").value(), "./other");
}

TEST_F(ModelPathsTest, AUserFolderThatIsNotAbsoluteIsNone) {
  const CurrentFolder here(folder_.path() / "here");
  std::filesystem::create_directories(folder_.path() / "here/x/sotto/models");
  std::filesystem::create_directories(folder_.path() / "here/x/.local/share/sotto/models");
  add("here/x/sotto/models/r.safetensors");
  add("here/x/.local/share/sotto/models/h.safetensors");
  const Variable data("XDG_DATA_HOME", "x");
  const Variable home("HOME", "x");
  expect_error(find_model("r"), Errc::not_found, {"'r'"});
  expect_error(find_model("h"), Errc::not_found, {"'h'"});
}

TEST_F(ModelPathsTest, ErrorNamesFoldersAndModels) {
  add("b/some-model.safetensors");
  std::ofstream(folder_.path() / "b" / "readme.txt") << "no model";
  expect_error(find_model("absent"), Errc::not_found,
               {"'absent'", (folder_.path() / "a").string(), (folder_.path() / "b").string(),
                (folder_.path() / "data/sotto/models").string(), "some-model"});
  expect_error(find_model(""), Errc::invalid_argument, {"empty"});
}

TEST_F(ModelPathsTest, HomeIsUsedWithoutDataFolder) {
  const Variable data("XDG_DATA_HOME", std::nullopt);
  const Variable home("HOME", folder_.path().string());
  std::filesystem::create_directories(folder_.path() / ".local/share/sotto/models");
  const auto file = add(".local/share/sotto/models/h.safetensors");
  EXPECT_EQ(find_model("h").value(), file);
}

}  // namespace
}  // namespace sotto
