// Which runs of punctuation are ordinary in prose. Punctuation is output in clear, so anything that could
// represent a word (":)", "#$%^&*", "^_^", "<3", "***") must not count as punctuation.
#pragma once

#include <string_view>

namespace sotto::text {

/// What is directly before and after a run: a token, or whitespace or an end of the text.
struct RunNeighbours {
  bool token_before;
  bool token_after;
};

/// Whether `run`, two or more consecutive characters of the kind punctuation, is ordinary: then each of them
/// is a token of class punctuation, otherwise the whole run is one token of class other. Ordinary runs are
/// (!)  (?)  (...)  [...]  (…)  […], "-," after a token, and those of the form
///
///   attached?  dashes?  end?  closing?  (end closing?)?
///   ( colon quotes? dashes?  |  (comma quotes?)? (dashes | hyphen)? (opening hyphen?)? )  attached?
///
/// where
///   end       dots (. and …), then ! and ?, then dots, any number of each: "..."  "?!"  "!!!"  "?.."
///   closing   up to four quotes and closing brackets ) ], with at most two brackets: ."  ),  ").  '"
///   opening   up to four quotes and opening brackets ( [ ¿ ¡, with at most two brackets: ("  -(
///   quotes    one or two of " ' ` and the quotation marks of European languages
///   colon     : or ;
///   dashes    two or more hyphens, or the dashes U+2012 to U+2015: "--"  ";--"
///   attached  at most one per run. At its beginning one of % * + _ > } $ ¢ £ ¥ € ° © ® ™ ‰ ′ ″ † ‡ with a
///             token before it ("50%,"  "Brand™."); at its end one of $ # @ & * + ~ _ < { ¢ £ ¥ € § ± − with
///             a token after it ("($5"  ".@joe").
///
/// Without a token before the run it has no closing bracket, comma or colon; without one after it, no opening
/// bracket. So ":)", ":-(", "(:", "):" between blanks, ";'(", ":/" and "=)" are not ordinary.
///
/// Takes time linear in the size of the run. Thread-safe.
bool is_ordinary_run(std::u32string_view run, RunNeighbours neighbours);

/// The same for a run of ASCII characters.
bool is_ordinary_run(std::string_view run, RunNeighbours neighbours);

}  // namespace sotto::text
