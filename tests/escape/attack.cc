#include "escape/attack.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pale::attack {

void say(const std::string& what, long result) {
  const char* name = result >= 0 ? "succeeded" : strerrorname_np(errno);
  std::printf("%s %s\n", what.c_str(), name);
  std::fflush(stdout);
}

void fail(const std::string& why) {
  std::fprintf(stderr, "attack: %s\n", why.c_str());
  std::exit(99);
}

}  // namespace pale::attack

int main(int argc, char** argv) {
  using namespace pale::attack;
  if (argc < 2) fail("which attack?");
  const Words words(argv + 2, argv + argc);
  for (const auto& table :
       {naming_attacks(), file_attacks(), message_attacks(), kernel_attacks(), load_attacks(), host_preparations()}) {
    for (const Attack& attack : table) {
      if (attack.name == argv[1]) return attack.run(words);
    }
  }
  fail(std::string("no such attack: ") + argv[1]);
}
