// The page of a report: one file, nothing loaded from elsewhere.
#pragma once

#include <string>
#include <vector>

namespace sotto {

struct PageSection {
  std::string id;
  std::string title;
  std::string html;
};

struct PageHeader {
  std::string title;
  std::string stamp;               ///< what must not be overlooked
  std::string about;               ///< text; an empty line begins a paragraph
  std::vector<std::string> facts;  ///< short texts
};

/// The page as HTML. Title, stamp, about and facts are text; sections are HTML. Sections without content are
/// left out.
std::string html_page(const PageHeader& header, const std::vector<PageSection>& sections,
                      const std::string& footer);

}  // namespace sotto
