// keeper/table.h: columns for people.
#pragma once

#include <string>
#include <vector>

namespace pale::keeper {

using TableRow = std::vector<std::string>;
// Each column as wide as it must be; the first row is the heading, and all have as many columns.
std::string table_text(const std::vector<TableRow>& rows);

}  // namespace pale::keeper
