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
extern const Tool kBoundary;

// Those that need no more than this, always in the same order.
std::vector<const Tool*> tools_for(Power power);
// By its name, or by the one that the common filesystem server has for it. Null if there is none, or it needs more.
const Tool* find_tool(std::string_view name, Power power);

}  // namespace pale::tools
