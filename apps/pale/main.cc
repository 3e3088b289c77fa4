#include "cli/program.h"

int main(int argc, char** argv, char** envp) { return pale::cli::run_program(argc, argv, envp); }
