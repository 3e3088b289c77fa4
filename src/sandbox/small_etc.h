// sandbox/small_etc.h: the /etc of every sandbox: what programs need to run, nothing that tells who uses this machine.
#pragma once

#include <span>
#include <string>

#include "sandbox/shelf.h"

namespace pale::sandbox {

struct Account {
  unsigned user = 0;
  unsigned group = 0;
  std::string home;        // inside
  bool own_names = false;  // names are answered inside, on loopback, and not by the host's servers
};

// The host directory to show as /etc, made once and again when the host's files change: one mount instead of thirty.
Result<Kept> prepare_small_etc(const Places& places, const Account& account);

// The names below /etc it is made of.
std::span<const char* const> small_etc_names();

}  // namespace pale::sandbox
