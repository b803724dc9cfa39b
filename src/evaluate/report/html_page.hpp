// The page of a report: a single file that loads nothing from elsewhere.
#pragma once

#include <string>
#include <vector>

namespace sotto::evaluate {

struct PageSection {
  std::string id;
  std::string title;
  std::string html;
};

struct PageHeader {
  std::string title;
  std::string stamp;               ///< a notice that must not be overlooked
  std::string about;               ///< text; an empty line starts a paragraph
  std::vector<std::string> facts;  ///< short texts
};

/// The page as HTML. Title, stamp, about and facts are text; sections are HTML. Empty sections are omitted.
std::string html_page(const PageHeader& header, const std::vector<PageSection>& sections,
                      const std::string& footer);

}  // namespace sotto::evaluate
