// The version of the receipt's form. What reads receipts refuses those of later versions.
#pragma once

namespace sotto::pipeline {

inline constexpr int kReceiptVersion = 2;

}  // namespace sotto::pipeline
