#include "evaluate/report/samples.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "evaluate/plot/table.hpp"
#include "evaluate/report/setting_groups.hpp"

namespace sotto::evaluate {
namespace {

/// The beginning of a long text, cut between two characters.
std::string excerpt(const std::string& text) {
  constexpr std::size_t kMostBytes = 400;
  if (text.size() <= kMostBytes) return text;
  std::size_t end = kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

/// Samples of a setting at its smallest, middle and largest ε.
std::vector<const TextSample*> samples_of(const ReportData& data, const std::string& dataset,
                                          const Setting& setting) {
  std::vector<const TextSample*> all;
  for (const TextSample& sample : data.input.samples)
    if (sample.dataset == dataset && sample.model == setting.model && sample.mechanism == setting.mechanism)
      all.push_back(&sample);
  std::sort(all.begin(), all.end(),
            [](const TextSample* a, const TextSample* b) { return a->epsilon < b->epsilon; });
  if (all.size() <= 3) return all;
  return {all.front(), all[all.size() / 2], all.back()};
}

ReportTable sample_table(const ReportData& data, const std::string& dataset, std::size_t text,
                         const std::vector<SettingGroup>& groups) {
  ReportTable table{fmt::format("sample-{}-{}", slug(dataset), text + 1),
                    fmt::format("Text {} of {}, before and after.", text + 1, dataset),
                    "",
                    {},
                    {{"mechanism", Better::neither}, {"text", Better::neither}},
                    1,
                    {}};
  for (const Setting& setting : settings(data))
    for (const TextSample* sample : samples_of(data, dataset, setting)) {
      if (table.rows.empty())
        table.rows.push_back({TableCell::of("original"), TableCell::of(excerpt(sample->originals[text]))});
      std::string label = fmt::format("{}, ε = {}", setting.mechanism, short_number(sample->epsilon));
      if (groups.size() > 1) label += fmt::format(" ({})", group_of(groups, setting).unit);
      table.rows.push_back(
          {TableCell::of(std::move(label)), TableCell::of(excerpt(sample->privatized[text]))});
    }
  return table;
}

}  // namespace

std::string samples_html(const ReportData& data) {
  std::string html;
  const std::vector<SettingGroup> groups = setting_groups(data);
  std::set<std::string> shown;
  for (const TextSample& first : data.input.samples) {
    if (!shown.insert(first.dataset).second) continue;
    for (std::size_t text = 0; text < first.originals.size(); ++text)
      html += to_html(sample_table(data, first.dataset, text, groups));
  }
  return html;
}

}  // namespace sotto::evaluate
