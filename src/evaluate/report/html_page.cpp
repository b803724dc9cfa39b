#include "evaluate/report/html_page.hpp"

#include <fmt/format.h>

#include "evaluate/plot/table.hpp"

namespace sotto::evaluate {
namespace {

constexpr const char* kStyle = R"css(
:root{--page:#fff;--ink:#1d2430;--soft:#5b6675;--line:#d9dee5;--band:#f5f7f9;--accent:#20558a;--warn:#8a4b00;--warn-bg:#fff3e0;
--c0:#2f6db3;--c1:#d2691e;--c2:#2e8b57;--c3:#b22f45;--c4:#7a52a8;--c5:#8a6a2f;--c6:#c2529a;--c7:#1f8f95;--c8:#5f6b7a;--c9:#9a9400;--c10:#4c4fc7;--c11:#d0453a}
@media(prefers-color-scheme:dark){:root{--page:#14181f;--ink:#e6eaf0;--soft:#9aa6b6;--line:#313a47;--band:#1b212a;--accent:#7db5ec;--warn:#ffc77d;--warn-bg:#3a2a12;
--c0:#6ea8e8;--c1:#f0965a;--c2:#63c38d;--c3:#ee7287;--c4:#b596e3;--c5:#c9a767;--c6:#ec8bc9;--c7:#5cc6cb;--c8:#a3b0c0;--c9:#d2cc4d;--c10:#9194f5;--c11:#ff8a7e}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main,header,footer,nav{max-width:1120px;margin:0 auto;padding:0 20px}
header{padding-top:36px}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 10px;letter-spacing:-.01em;text-wrap:balance}
h2{font-size:1.25rem;margin:48px 0 14px;padding-top:16px;border-top:1px solid var(--line)}
p{max-width:72ch;margin:0 0 12px}
a{color:var(--accent)}
.stamp{display:inline-block;background:var(--warn-bg);color:var(--warn);border-radius:4px;padding:3px 10px;font-size:.875rem;font-weight:600;margin-bottom:14px}
.facts{display:flex;flex-wrap:wrap;gap:4px 22px;margin:4px 0 14px;padding:0;list-style:none;color:var(--soft);font-size:.9375rem}
nav{font-size:.9375rem;display:flex;flex-wrap:wrap;gap:2px 18px;padding-top:6px}
nav a{text-decoration:none;padding:4px 0}
nav a:hover{text-decoration:underline}
figure{margin:0}
figcaption{font-size:.875rem;color:var(--soft);margin-bottom:6px;max-width:90ch}
figcaption b{color:var(--ink)}
.table{margin:0 0 30px}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:6px}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums;width:100%}
th,td{padding:5px 10px;text-align:left;white-space:nowrap;border-bottom:1px solid var(--line)}
td.wrap{white-space:normal;min-width:16em}th.wrap{white-space:normal;min-width:8em}
tbody tr:last-child th,tbody tr:last-child td{border-bottom:0}
thead th{background:var(--band);font-weight:600}
thead th.group{text-align:center;border-left:1px solid var(--line)}
.n{text-align:right}
tbody th{font-weight:500}
.best{font-weight:700}
.sd{color:var(--soft);font-weight:400;font-size:.85em}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,420px),1fr));gap:26px 30px;margin:0 0 34px}
.plot figcaption{color:var(--ink);font-weight:600;text-wrap:balance}
.plot>svg{display:block;width:100%;height:auto;max-width:620px}
.legend{display:flex;flex-wrap:wrap;gap:2px 14px;font-size:.8125rem;color:var(--soft);padding-left:4px}
.legend span{display:inline-flex;align-items:center;gap:5px;white-space:nowrap}
.key{width:20px;height:13px;flex:none}
.note{font-size:.8125rem;color:var(--soft);padding:2px 4px 0}
.box{display:inline-block;width:11px;height:11px;border-radius:2px;background:currentColor}
.t{font-size:11.5px;fill:var(--soft)}.p{font-size:9px}.cut{stroke:var(--ink)}.c{text-anchor:middle}.e{text-anchor:end}
.grid{stroke:var(--line);stroke-width:.7;fill:none}.axis{stroke:var(--soft);stroke-width:1;fill:none}
.l{fill:none;stroke:currentColor;stroke-width:1.7;stroke-linejoin:round}.m{fill:currentColor;stroke:var(--page);stroke-width:.6}
.bar{stroke:currentColor;stroke-width:1.1;fill:none;opacity:.75}.f{fill:currentColor}
.base{fill:none;stroke:var(--ink);stroke-width:1.3;opacity:.75}.b0{stroke-dasharray:5 3}.b1{stroke-dasharray:1.5 3}
.s0{color:var(--c0)}.s1{color:var(--c1)}.s2{color:var(--c2)}.s3{color:var(--c3)}.s4{color:var(--c4)}.s5{color:var(--c5)}
.s6{color:var(--c6)}.s7{color:var(--c7)}.s8{color:var(--c8)}.s9{color:var(--c9)}.s10{color:var(--c10)}.s11{color:var(--c11)}
footer{margin:56px auto 40px;padding-top:14px;color:var(--soft);font-size:.875rem}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
@media(max-width:600px){main,header,footer,nav{padding-left:14px;padding-right:14px}h1{font-size:1.4rem}th,td{padding:5px 8px}}
@media print{.scroll{overflow:visible}nav{display:none}}
)css";

std::string paragraphs(const std::string& text) {
  std::string html;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find("\n\n", begin);
    if (end == std::string::npos) end = text.size();
    if (const std::string part = text.substr(begin, end - begin); part.find_first_not_of(" \n") != part.npos)
      html += fmt::format("<p>{}</p>\n", escape_html(part));
    begin = end + 2;
  }
  return html;
}

}  // namespace

std::string html_page(const PageHeader& header, const std::vector<PageSection>& sections,
                      const std::string& footer) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">"
      "<title>{0}</title><style>{1}</style></head><body>\n<header><h1>{0}</h1>\n",
      escape_html(header.title), kStyle);
  if (!header.stamp.empty())
    html += fmt::format("<div class=\"stamp\">{}</div>\n", escape_html(header.stamp));
  html += paragraphs(header.about) + "<ul class=\"facts\">";
  for (const std::string& fact : header.facts) html += fmt::format("<li>{}</li>", escape_html(fact));
  html += "</ul></header>\n<nav>";
  for (const PageSection& section : sections)
    if (!section.html.empty())
      html += fmt::format("<a href=\"#{}\">{}</a>", section.id, escape_html(section.title));
  html += "</nav>\n<main>\n";
  for (const PageSection& section : sections)
    if (!section.html.empty())
      html += fmt::format("<section><h2 id=\"{}\">{}</h2>\n{}</section>\n", section.id,
                          escape_html(section.title), section.html);
  return html + fmt::format("</main>\n<footer>{}</footer></body></html>\n", escape_html(footer));
}

}  // namespace sotto::evaluate
