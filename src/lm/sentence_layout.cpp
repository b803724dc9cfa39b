#include "lm/sentence_layout.hpp"

#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "lm/failure.hpp"

namespace sotto::lm {
namespace {

Pooling read_pooling(const std::filesystem::path& folder) {
  const Config config = Config::read(folder / "config.json");
  const bool mean = config.flag("pooling_mode_mean_tokens", false);
  const bool first = config.flag("pooling_mode_cls_token", false);
  const bool other = config.flag("pooling_mode_max_tokens", false) ||
                     config.flag("pooling_mode_mean_sqrt_len_tokens", false) ||
                     config.flag("pooling_mode_weightedmean_tokens", false) ||
                     config.flag("pooling_mode_lasttoken", false);
  if (mean == first || other)
    refuse(Errc::bad_format,
           fmt::format("{}: pooling must be by mean or by the first token alone", config.name()));
  return mean ? Pooling::mean : Pooling::first;
}

}  // namespace

SentenceLayout read_sentence_layout(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    refuse(Errc::not_found, fmt::format("{}: not a folder", folder.string()));
  SentenceLayout layout{folder};
  const std::filesystem::path modules = folder / "modules.json";
  if (std::filesystem::exists(modules, ignored)) {
    const auto json = base::parse_json(unwrap(base::read_file(modules)));
    if (!json.is_array()) refuse(Errc::bad_format, fmt::format("{}: not a JSON list", modules.string()));
    for (const nlohmann::json& module : json) {
      if (!module.is_object() || !module.value("type", nlohmann::json()).is_string() ||
          !module.value("path", nlohmann::json()).is_string())
        refuse(Errc::bad_format, fmt::format("{}: a module without type or path", modules.string()));
      const auto type = module["type"].get<std::string>();
      const auto path = module["path"].get<std::string>();
      if (path.find('/') != std::string::npos || path == "..")
        refuse(Errc::bad_format,
               fmt::format("{}: path '{}' is not a folder of this one", modules.string(), path));
      if (type.ends_with(".Transformer"))
        layout.transformer = folder / path;
      else if (type.ends_with(".Pooling"))
        layout.pooling = read_pooling(folder / path);
      else if (!type.ends_with(".Normalize"))
        refuse(Errc::bad_format, fmt::format("{}: module '{}' is none of Transformer, Pooling, Normalize",
                                             modules.string(), type));
    }
  } else if (std::filesystem::exists(folder / "1_Pooling" / "config.json", ignored)) {
    layout.pooling = read_pooling(folder / "1_Pooling");
  }
  if (const auto file = layout.transformer / "sentence_bert_config.json";
      std::filesystem::exists(file, ignored))
    layout.longest = Config::read(file).whole("max_seq_length", 1, kMostPositions, kMostPositions);
  return layout;
}

}  // namespace sotto::lm
