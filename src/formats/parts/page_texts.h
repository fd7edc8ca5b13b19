#pragma once
// The files beside this one that a page carries in itself; scripts/cmake/GpubenchTexts.cmake writes the
// functions.

#include <string_view>

namespace gpubench {

std::string_view chart_css();  ///< Looks of charts, in colours for white paper.
std::string_view page_css();   ///< Looks of HTML, and charts in the reader's colour scheme.
std::string_view page_js();

/// Base64 of the SHA-256 of the text, as a Content-Security-Policy wants it.
std::string_view chart_css_sha256();
std::string_view page_css_sha256();
std::string_view page_js_sha256();

}  // namespace gpubench
