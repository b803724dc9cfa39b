#include "lm/antonym_filter.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "text/letter_case.hpp"

namespace sotto::lm {

Result<std::shared_ptr<const AntonymFilter>> AntonymFilter::open(std::span<const std::string> words,
                                                                 const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "index.noun", ignored))
    return fail_parameter(
        "parameters.wordnet", folder.string(),
        fmt::format(
            "'{}' has no file index.noun; install the Debian package wordnet-base or give WordNet's folder",
            folder.string()),
        Errc::not_found);
  SOTTO_ASSIGN(text::WordNet net, text::WordNet::open(folder));
  std::shared_ptr<AntonymFilter> filter(new AntonymFilter(std::move(net)));
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    const std::string word = text::to_lower(words[i]);
    std::set<std::string> forms;
    for (std::size_t part = 0; part < text::kPartsOfSpeech; ++part)
      for (std::string& form : filter->net_.base_forms(word, static_cast<text::PartOfSpeech>(part)))
        forms.insert(std::move(form));
    for (const std::string& form : forms) filter->forms_[form].push_back(i);
  }
  return filter;
}

Result<std::vector<std::uint32_t>> AntonymFilter::antonyms(std::string_view word) const {
  SOTTO_ASSIGN(const std::vector<std::string> opposites, net_.antonyms(text::to_lower(word)));
  std::vector<std::uint32_t> found;
  for (const std::string& opposite : opposites)
    if (const auto entry = forms_.find(opposite); entry != forms_.end())
      found.insert(found.end(), entry->second.begin(), entry->second.end());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace sotto::lm
