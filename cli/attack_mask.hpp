// sotto attack --attack mask
#pragma once

#include <string>

#include "command.hpp"

namespace sotto::cli {

struct MaskAttackArguments {
  std::string original, privatized, model, candidates, confidence, threads;
  bool json = false;
};

Result<void> attack_masks(const MaskAttackArguments& a);

}  // namespace sotto::cli
