#include "base/work_meter.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/parallel.hpp"
#include "base/stopwatch.hpp"

namespace sotto {
namespace {

using namespace sotto::base;
using Reports = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// A callback that notes what it receives, and asks to stop after `most` reports.
ProgressCallback noting(Reports& reports, std::size_t most = 1000) {
  return [&reports, most](std::uint64_t done, std::uint64_t total) {
    reports.emplace_back(done, total);
    return reports.size() < most;
  };
}

TEST(ReportProgress, FailsIfTheCallerAsksToStop) {
  EXPECT_TRUE(report_progress({}, 1, 2));
  Reports reports;
  EXPECT_TRUE(report_progress(noting(reports, 2), 1, 2));
  const auto stopped = report_progress(noting(reports, 2), 2, 2);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::interrupted);
  EXPECT_EQ(reports, (Reports{{1, 2}, {2, 2}}));
}

TEST(WorkMeter, ReportsTheSumAndNeverMoreThanTheTotal) {
  Reports reports;
  const ProgressCallback progress = noting(reports);
  WorkMeter meter(progress);
  EXPECT_TRUE(meter.add(0));
  meter.set_total(5);
  EXPECT_TRUE(meter.add(2));
  EXPECT_TRUE(meter.add(4));
  EXPECT_EQ(reports, (Reports{{0, 0}, {2, 5}, {5, 5}}));
  EXPECT_FALSE(meter.stopped());
  EXPECT_TRUE(meter.result());
}

TEST(WorkMeter, AsksNoMoreOnceToldToStop) {
  Reports reports;
  const ProgressCallback progress = noting(reports, 2);
  WorkMeter meter(progress, 10);
  EXPECT_TRUE(meter.add(1));
  EXPECT_FALSE(meter.add(1));
  EXPECT_FALSE(meter.add(1));
  EXPECT_EQ(reports.size(), 2U);
  EXPECT_TRUE(meter.stopped());
  const auto result = meter.result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::interrupted);
}

TEST(WorkMeter, NeedsNoCallback) {
  const ProgressCallback none;
  WorkMeter meter(none, 1);
  EXPECT_TRUE(meter.add(1));
  EXPECT_TRUE(meter.result());
}

TEST(WorkMeter, ReportsFromOneThreadAtATime) {
  Reports reports;  // unguarded: the meter is the guard
  const ProgressCallback progress = noting(reports, 10'000);
  WorkMeter meter(progress, 1000);
  parallel_for(1000, 1, 8, [&](std::size_t begin, std::size_t end) { meter.add(end - begin); });
  EXPECT_EQ(reports.back(), std::pair(std::uint64_t{1000}, std::uint64_t{1000}));
  for (std::size_t i = 1; i < reports.size(); ++i) EXPECT_GT(reports[i].first, reports[i - 1].first);
}

TEST(Stopwatch, CountsForwards) {
  const Stopwatch watch;
  const double first = watch.seconds();
  EXPECT_GE(first, 0);
  EXPECT_GE(watch.seconds(), first);
}

}  // namespace
}  // namespace sotto
