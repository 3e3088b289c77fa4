// keeper/program.h: the commands that keep records and serve. `pale` runs them in this program, which it carries in its image.
#pragma once

namespace pale::keeper {

int run_program(int argc, char** argv, char** envp);

}  // namespace pale::keeper
