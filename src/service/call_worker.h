// service/call_worker.h: the use case of `pale worker call`: a worker called by the user, with the broker for those that it calls;
// or, inside a worker's sandbox, by way of the broker outside.
#pragma once

#include "service/broker.h"

namespace pale::service {

struct WorkerCallRequest {
  project::Named project;
  worker::Overrides overrides;
  std::string worker;  // a name, or the path of a file; empty: the entry worker
  std::string input;   // JSON
  std::string instructions;
  void (*notice)(const session::Question& question) = nullptr;  // of one that waits for an answer
  enum class Answer { AtOnce, Whole } answer = Answer::AtOnce;  // to standard output as it comes; or returned
};

struct WorkerCallOutcome {
  worker::CallAnswer answer;
  std::string session;  // what was written down of it
};

Result<WorkerCallOutcome> call_worker(const WorkerCallRequest& request, const Caller& caller);

// Whether this process is in the sandbox of a worker that may call others.
bool has_broker();

}  // namespace pale::service
