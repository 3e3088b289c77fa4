// asker PALE_HOME ID LASTS_MS queue|terminal DETAILS [PROJECT]: asks a question as a worker or a tool would, and says how it was decided.
#include <cstdlib>
#include <iostream>
#include <string>

#include "service/approvals.h"

int main(int argc, char** argv) {
  using namespace pale;
  if (argc != 6 && argc != 7) return 2;
  const Path pale_home = Path::literal(argv[1]);
  const std::int64_t now = service::now_ms();
  const session::Question question = {argv[2],
                                      argc == 7 ? argv[6] : "/work",
                                      "worker tester",
                                      "write /data/notes.txt",
                                      argv[5],
                                      "digest-of-" + std::string(argv[2]),
                                      now,
                                      now + std::atoll(argv[3])};
  const auto terminal =
      std::string(argv[4]) == "terminal" ? service::Asking::Terminal::Yes : service::Asking::Terminal::No;
  auto asking = service::Asking::begin(pale_home, question, terminal);
  if (!asking) {
    std::cerr << asking.error().sentence() << "\n";
    return 1;
  }
  std::cout << "waiting" << std::endl;
  const auto decision = asking->wait();
  if (!decision || !service::record_decision(pale_home, question, *decision)) return 1;
  std::cout << to_text(decision->verdict) << " by " << decision->by << std::endl;
  return 0;
}
