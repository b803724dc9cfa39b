// Small models for the audit tests, and findings printed as rows of docs/audit.md.
#pragma once

#include <cmath>
#include <iostream>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <sotto/black_box.hpp>

#include "audit/broken_bits.hpp"
#include "audit/broken_mechanisms.hpp"
#include "mechanisms/noise_fixture.hpp"
#include "support/list_set.hpp"
#include "support/tiny_wordnet.hpp"

namespace sotto::testing {

class AuditTest : public NoiseTest {
 protected:
  /// Twelve words in four groups of near words, with counts.
  std::shared_ptr<const Model> tiny() { return write_tiny_model(folder_.path() / "tiny.safetensors"); }

  /// Thirteen words in two lists that have little in common.
  std::shared_ptr<const Model> lists() {
    return write_list_set(folder_.path() / "lists.safetensors", letter_words(13),
                          {{"a", stepping_order(13, 1)}, {"b", stepping_order(13, 5)}});
  }

  std::string wordnet() {
    const auto folder = folder_.path() / "wordnet";
    std::filesystem::create_directories(folder);
    write_tiny_wordnet(folder, {{'n', {"pizza", "pasta"}}, {'n', {"dog", "cat", "horse"}}});
    return folder.string();
  }

  static BlackBoxOptions small_audit(std::uint64_t draws, std::uint64_t pairs, std::uint64_t seed) {
    BlackBoxOptions options;
    options.draws = draws;
    options.pairs = pairs;
    options.runs = 100;
    options.confidence = 1 - 1e-6;
    options.seed = seed;
    options.mechanism.resources.threads = 1;
    return options;
  }

  static BlackBoxReport audit(const Mechanism& mechanism, const Model& model, const BlackBoxOptions& options,
                              const BitSourceMaker& bits = {}) {
    auto report = audit_black_box(mechanism, model, options, bits);
    EXPECT_TRUE(report) << (report ? "" : report.error().message);
    return report ? *report : BlackBoxReport{};
  }

  /// A row of the table in docs/audit.md.
  static void print_row(const std::string& broken, const BlackBoxReport& report) {
    std::string shown;
    if (report.losses_refute()) {
      const PairFinding& pair = report.pairs.front();
      shown =
          fmt::format("{} against {} on {{{}{}}}: {} and {} of {} | {:.3f} | {:.3f}", pair.first, pair.second,
                      fmt::join(pair.event, ", "), pair.event_size > pair.event.size() ? ", …" : "",
                      pair.first_count, pair.second_count, pair.draws, pair.loss_lower, pair.allowed);
    }
    for (const IndependenceFinding& finding : report.independence)
      if (finding.refutes && shown.empty()) shown = finding.detail + " | – | –";
    std::cout << fmt::format("| {} | {} | {} | {:.1f} s |\n", broken, shown, report.draws_in_all,
                             report.seconds);
  }
};

}  // namespace sotto::testing
