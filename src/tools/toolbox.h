// tools/toolbox.h: every tool there is. A new one is declared here and entered in kTools of toolbox.cc.
#pragma once

#include <vector>

#include "tools/tool.h"

namespace pale::tools {

extern const Tool kReadFile;
extern const Tool kReadMultipleFiles;
extern const Tool kWriteFile;
extern const Tool kEditFile;
extern const Tool kListDirectory;
extern const Tool kTree;
extern const Tool kSearch;
extern const Tool kFindFiles;
extern const Tool kFileInfo;
extern const Tool kMakeDirectory;
extern const Tool kMove;
extern const Tool kDelete;
extern const Tool kRunCommand;
extern const Tool kCallWorker;
extern const Tool kBoundary;

// Of the common filesystem server, for agents that know it: not in the list of tools.
extern const Tool kListDirectoryWithSizes;

// Those that there are here, always in the same order.
std::vector<const Tool*> tools_for(const Workplace& place);
// By its name, or by the one that the common filesystem server has for it. Null if there is none here.
const Tool* find_tool(std::string_view name, const Workplace& place);
// Then: why, and what would help.
std::string why_missing(std::string_view name, const Workplace& place);

}  // namespace pale::tools
