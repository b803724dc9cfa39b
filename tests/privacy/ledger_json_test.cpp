#include "privacy/ledger_json.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace sotto {
namespace {

using namespace sotto::privacy;

TEST(LedgerJson, ARecordHasItsIdOrItsNumber) {
  WithheldRecord record;
  record.record = "17";
  EXPECT_EQ(json_of(record)["record"], 17);
  EXPECT_TRUE(json_of(record)["id"].is_null());
  record.has_id = true;
  EXPECT_EQ(json_of(record)["id"], "17");
  EXPECT_TRUE(json_of(record)["record"].is_null());
}

TEST(LedgerJson, WhatADamagedLedgerHoldsIsWrittenToo) {
  WithheldRecord record;
  for (const char* number : {"", "x", "1x", "99999999999999999999"}) {
    record.record = number;
    EXPECT_TRUE(json_of(record)["record"].is_null()) << number;
  }
  record.record = "-5";
  record.subject = "\xff";
  record.time = std::numeric_limits<std::int64_t>::max();
  const auto json = base::parse_json(to_json(std::vector{record}));
  ASSERT_TRUE(json.is_array());
  EXPECT_EQ(json[0]["record"], -5);
  EXPECT_EQ(json[0]["subject"], "\uFFFD");
  EXPECT_EQ(json[0]["time"], "9223372036854775807");
}

}  // namespace
}  // namespace sotto
