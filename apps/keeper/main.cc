#include "keeper/program.h"

int main(int argc, char** argv, char** envp) { return pale::keeper::run_program(argc, argv, envp); }
