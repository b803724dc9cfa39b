// Output of 'sotto bench'.
#pragma once

#include <string>

#include <sotto/bench.hpp>

namespace sotto::cli {

std::string bench_text(const BenchReport& report);

}  // namespace sotto::cli
