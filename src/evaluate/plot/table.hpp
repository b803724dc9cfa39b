// Tables of figures, and their output as HTML, CSV and LaTeX.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto::evaluate {

/// Shown to people in place of a missing figure; files have an empty field.
inline constexpr std::string_view kNoFigure = "–";

/// A text, or a figure with its spread.
struct TableCell {
  std::string text;  ///< if there is no value
  std::optional<double> value;
  std::optional<double> deviation;
  int decimals = 1;
  bool best = false;  ///< in its column
  /// The values of two runs, instead of a deviation.
  std::optional<std::pair<double, double>> range = {};
  std::string note = {};  ///< in small print after the value

  static TableCell no_figure() { return of(std::string(kNoFigure)); }
  static TableCell of(std::string text) { return {std::move(text), {}, {}, 1, false}; }
};

/// Columns under a common title.
struct ColumnGroup {
  std::string title;
  std::size_t columns = 1;
};

enum class Better { neither, higher, lower };

struct ReportColumn {
  std::string title;
  Better better = Better::neither;  ///< shown as an arrow; the best figure is set in bold
};

struct ReportTable {
  std::string id;     ///< file name: letters, digits and '-'
  std::string title;  ///< without markup, like everything here
  std::string caption;
  std::vector<ColumnGroup> groups;  ///< over all columns; empty: none
  std::vector<ReportColumn> columns;
  std::size_t labels = 1;  ///< number of leading columns that hold names
  std::vector<std::vector<TableCell>> rows;

  /// Whether any cell besides the names is filled.
  bool has_figures() const;
  bool has_column(std::string_view name) const;
  /// Removes the columns, besides the names, that have no figure in any row.
  void drop_empty_columns();
  /// Marks the best figure of each column among the rows from `first` on.
  void mark_best(std::size_t first = 0);
  /// What the small print beside figures is: a deviation, a range of two runs, or either; empty: none.
  std::string spread_note() const;
};

std::string to_html(const ReportTable& table);
/// A header, then a line per row. A column of figures with spread is followed by one with the standard
/// deviation, or by two with the range of two runs; one with notes, by one with these. A missing figure is
/// empty.
std::string to_csv(const ReportTable& table);
/// A floating table in the style of the booktabs package.
std::string to_latex(const ReportTable& table);

std::string escape_html(std::string_view text);
std::string escape_csv(std::string_view text);
std::string escape_latex(std::string_view text);

/// A form of a label with letters, digits and '-' only, for file names and anchors.
std::string slug(std::string_view text);

/// An ε or another number of the run file, as short as possible.
std::string short_number(double value);

}  // namespace sotto::evaluate
