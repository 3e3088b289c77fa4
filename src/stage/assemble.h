// stage/assemble.h: makes the operations of an apply: fills a slot for each name that changes.
#pragma once

#include "stage/progress.h"
#include "stage/select.h"
#include "stage/transaction.h"
#include "stage/view.h"

namespace pale::stage {

// `lower`: what lies beneath the target if that is a layer itself, where an absence has to be said; null: it is the project.
Status assemble(const View& view, const std::vector<Item>& items, Transaction& transaction,
                const sandbox::LayeredDirectory* lower, Progress* progress);

}  // namespace pale::stage
