// Rewrites whole texts with a language model.
#pragma once

#include <memory>

#include "pipeline/rewrite/rewrite_context.hpp"
#include "pipeline/rewrite/text_rewriter.hpp"

namespace sotto {

/// For a context with a language model, which it keeps alive.
std::unique_ptr<TextRewriter> make_language_rewriter(std::shared_ptr<const RewriteContext> context);

}  // namespace sotto
