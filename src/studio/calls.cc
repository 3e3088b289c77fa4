#include "studio/calls.h"

#include <algorithm>

#include "worker/zones.h"

namespace pale::studio {
namespace {

// "index/summary": who called it, down from the first; the last is the worker itself.
std::string chain_of(const history::Run& run) { return run.command.empty() ? std::string() : run.command.front(); }

std::string id_of(const history::SessionWithRuns& session, const history::Run& run) {
  return session.session.about.id + "." + std::to_string(run.number);
}

// The zones that its sandbox had, as was read back from the kernel: they stand at its root.
Json zones_in(const Json& receipt) {
  Json zones = Json::array();
  if (!receipt.is_object() || !receipt.contains("landlock")) return zones;
  const Json rules = receipt["landlock"].value("rules", Json::array());
  for (const Json& rule : rules) {
    const std::string path = rule.value("path", "");
    const std::string name = path.substr(path.empty() ? 0 : 1);
    if (name.empty() || name.find('/') != std::string::npos || worker::is_reserved(name)) continue;
    zones.push_back(sane(name) + (rule.value("access", "") == "write" ? " rw" : " ro"));
  }
  return zones;
}

Json refused_in(const std::vector<session::Event>& denied, std::uint64_t run) {
  Json refused = Json::array();
  for (const session::Event& event : denied) {
    if (event.operation != "call_worker" || event.run != run) continue;
    const std::size_t colon = event.rule.find(": ");
    refused.push_back({{"worker", sane(event.path)},
                       {"code", event.rule.substr(0, colon)},
                       {"message", sane(colon == std::string::npos ? "" : event.rule.substr(colon + 2))}});
  }
  return refused;
}

// One that was refused to whoever called from outside: nothing of it ever ran.
Json refused_call(const history::Session& session, const Json& refused, std::size_t number) {
  const std::string when = iso(session.about.created_ms);
  return {{"id", session.about.id + ".0." + std::to_string(number)},
          {"session_id", session.about.id},
          {"worker", refused.at("worker")},
          {"started", when},
          {"ended", when},
          {"got", Json::array()},
          {"refused", Json::array({refused})},
          {"receipt", nullptr}};
}

}  // namespace

void add_calls(Json& calls, const history::SessionWithRuns& session, const std::vector<session::Event>& denied) {
  const Json from_outside = refused_in(denied, 0);
  for (std::size_t at = 0; at < from_outside.size(); ++at)
    calls.push_back(refused_call(session.session, from_outside[at], at));
  for (const history::Run& run : session.runs) {
    const std::string chain = chain_of(run);
    const std::size_t slash = chain.rfind('/');
    const Json receipt = Json::parse(run.receipt, nullptr, false);
    Json call = {{"id", id_of(session, run)},
                 {"session_id", session.session.about.id},
                 {"worker", sane(slash == std::string::npos ? chain : chain.substr(slash + 1))},
                 {"started", iso(run.started_ms)},
                 {"got", zones_in(receipt)},
                 {"refused", refused_in(denied, run.number)},
                 {"receipt", receipt.is_discarded() ? Json(nullptr) : receipt}};
    if (run.ended_ms) call["ended"] = iso(*run.ended_ms);
    if (run.exit_code) call["exit_code"] = *run.exit_code;
    const auto parent = std::ranges::find_if(session.runs, [&](const history::Run& other) {
      return slash != std::string::npos && chain_of(other) == chain.substr(0, slash) && other.number < run.number;
    });
    if (parent != session.runs.end()) call["parent"] = id_of(session, *parent);
    calls.push_back(std::move(call));
  }
}

}  // namespace pale::studio
