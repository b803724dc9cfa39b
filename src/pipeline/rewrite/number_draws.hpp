// Random numbers in the shapes of those of a text.
#pragma once

#include <sotto/bit_source.hpp>

#include "pipeline/rewrite/token_plan.hpp"

namespace sotto::pipeline {

/// Draws planned.digits, the digits of all its numbers, in order. The law is a function of the shape alone:
/// of digit counts and of what stands directly between numbers, never of a digit or of a word.
///
///   d:dd  dd:dd, each also with :dd        a uniform time of day: d from 0 to 9, dd from 00 to 23
///   year first: dddd-dd-dd, or with / or . a uniform date from 1900 to 2099, as year, month, day
///   year last:  dd/dd/dddd, or with - or . the same, as day, month, year
///   anything else                          each number by itself: uniform digits, but no 0 before others
///
/// A day or month of one digit is from 1 to 9; the date is then uniform among those that fit. A time or date
/// is a maximal chain of numbers with the same separator between any two.
void draw_numbers(BitSource& bits, PlannedText& planned);

}  // namespace sotto::pipeline
