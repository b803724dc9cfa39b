#include <sotto/evaluate.hpp>

#include "base/json.hpp"

namespace sotto {
namespace {

nlohmann::ordered_json json_of(const std::vector<AbsentCells>& reasons) {
  auto json = nlohmann::ordered_json::array();
  for (const AbsentCells& entry : reasons) json.push_back({{"cells", entry.cells}, {"reason", entry.reason}});
  return json;
}

}  // namespace

std::string to_json(const ExperimentSummary& summary) {
  return base::json_text({{"title", summary.title},
                          {"output", summary.output.string()},
                          {"report", (summary.output / "report.html").string()},
                          {"results", (summary.output / "results.jsonl").string()},
                          {"cells", summary.cells},
                          {"computed", summary.computed},
                          {"kept", summary.kept},
                          {"absent", json_of(summary.absent)},
                          {"failed", json_of(summary.failed)},
                          {"seeded", true},
                          {"seconds", summary.seconds}});
}

}  // namespace sotto
