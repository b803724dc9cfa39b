// All of Sotto's public interface.
#pragma once

#include <sotto/attack.hpp>
#include <sotto/bench.hpp>
#include <sotto/bit_source.hpp>
#include <sotto/black_box.hpp>
#include <sotto/budget.hpp>
#include <sotto/certificate.hpp>
#include <sotto/collocations.hpp>
#include <sotto/composition.hpp>
#include <sotto/config_file.hpp>
#include <sotto/evaluate.hpp>
#include <sotto/explain.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/language_models.hpp>
#include <sotto/ledger.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/policy.hpp>
#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>
#include <sotto/result.hpp>
#include <sotto/tokenizer.hpp>
#include <sotto/train.hpp>
#include <sotto/tune.hpp>
#include <sotto/validate.hpp>
#include <sotto/version.hpp>
