// Rewrites whole texts with a language model.
#pragma once

#include <memory>

#include "pipeline/document_work.hpp"
#include "pipeline/rewrite_context.hpp"

namespace sotto {

/// For a context with a language model, which it keeps alive.
std::unique_ptr<DocumentWork> make_language_work(std::shared_ptr<const RewriteContext> context);

}  // namespace sotto
