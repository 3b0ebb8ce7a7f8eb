#include "cli/cli.h"

int main(int argc, char** argv) { return sidegrade::cli::main(argc, argv); }
