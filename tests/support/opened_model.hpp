// The model that an operation wrote.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include <sotto/model.hpp>

namespace sotto::testing {

/// Opens and verifies `file`, which the operation reports to have written; `report` receives its result.
template <class Report>
std::shared_ptr<const Model> opened_model(const Result<Report>& result, const std::filesystem::path& file,
                                          Report* report) {
  if (!result) throw std::runtime_error(result.error().message);
  if (report != nullptr) *report = *result;
  const auto model = Model::open(file);
  if (!model) throw std::runtime_error(model.error().message);
  EXPECT_EQ((*model)->stored_sha256(), result->sha256);
  EXPECT_TRUE((*model)->verify());
  return *model;
}

}  // namespace sotto::testing
