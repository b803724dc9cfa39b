// Notes that the program writes for itself: the progress of a run, and the bounds of a model's logits.
#include <cmath>

#include "fuzz.hpp"
#include "lm/calibration.hpp"
#include "pipeline/records/output_target.hpp"

namespace {

using namespace sotto;
using fuzz::require;

constexpr std::string_view kPartial = "what was written so far";

}  // namespace

SOTTO_FUZZ_TARGET(checkpoint) {
  fuzz::write_scratch("resumed.checkpoint", input);
  const std::filesystem::path partial = fuzz::write_scratch("resumed.partial", kPartial);
  pipeline::Progress progress;
  {
    const auto output = pipeline::open_resumable_output(fuzz::scratch() / "resumed", "fingerprint", progress);
    if (!output) return;
  }
  require(progress.output_bytes <= kPartial.size(), "no more is taken over than was written");
  require(std::isfinite(progress.counts.epsilon_sum), "amounts are numbers");
}

SOTTO_FUZZ_TARGET(calibration) {
  std::filesystem::create_directories(fuzz::scratch() / "calibration");
  fuzz::write_scratch(std::filesystem::path("calibration") / lm::kCalibrationFile, input);
  const auto found = lm::read_calibration(fuzz::scratch() / "calibration", "digest");
  if (!found || !*found) return;
  const lm::LogitBounds& bounds = (*found)->bounds;
  require(std::isfinite(bounds.lowest) && std::isfinite(bounds.highest) && bounds.lowest < bounds.highest,
          "bounds of logits are an interval");
}
