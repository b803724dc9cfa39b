// All of Sotto's public interface.
#pragma once

#include <sotto/bit_source.hpp>
#include <sotto/explain.hpp>
#include <sotto/guarantee.hpp>
#include <sotto/ledger.hpp>
#include <sotto/mechanism.hpp>
#include <sotto/model.hpp>
#include <sotto/policy.hpp>
#include <sotto/privatize.hpp>
#include <sotto/receipt.hpp>
#include <sotto/result.hpp>
#include <sotto/tokenizer.hpp>
#include <sotto/validate.hpp>
#include <sotto/version.hpp>
