#include "keeper/table.h"

#include <algorithm>

#include "cli/console.h"

namespace pale::keeper {

std::string table_text(const std::vector<TableRow>& rows) {
  constexpr std::size_t kGap = 2;
  std::vector<std::size_t> widths(rows.front().size());
  for (const TableRow& row : rows) {
    for (std::size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], row[at].size() + kGap);
  }
  std::string text;
  for (const TableRow& row : rows) {
    for (std::size_t at = 0; at + 1 < row.size(); ++at) text += cli::padded(row[at], widths[at]);
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace pale::keeper
