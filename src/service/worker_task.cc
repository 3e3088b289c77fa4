#include "service/worker_task.h"

#include "service/parcel.h"

namespace pale::service {
namespace {

constexpr std::string_view kInstructions = "{instructions}";

std::string instructions_of(const worker::WorkerFile& file, const worker::CallRequest& request) {
  return request.instructions.empty() ? file.instructions : file.instructions + "\n\n" + request.instructions;
}

std::string_view what_may_be_done(const worker::Held& held) {
  if (held.access != Access::Write) return " is read-only.";
  return held.approval.remove == project::Approval::Blocked
             ? " may be changed, but nothing in it removed or renamed: write files in place."
             : " may be changed.";
}

// What an agent is told beside its instructions: it cannot know that it is a worker.
std::string task_text(const worker::WorkerFile& file, const worker::CallRequest& request,
                      const std::vector<worker::Held>& folders) {
  std::string text = instructions_of(file, request) + "\n";
  for (const worker::Held& held : folders) text += "\nThe folder /" + held.name + std::string(what_may_be_done(held));
  for (const std::string& name : file.allowed_workers)
    text += "\nThe worker " + name + " can be called with: pale worker call " + name + " --input JSON";
  return text + "\n\nInput: " + request.input + "\n";
}

}  // namespace

Result<WorkerTask> task_of(const CallSubject& subject, const WorkerCrew& crew) {
  WorkerTask task;
  const worker::WorkerFile& file = subject.file;
  if (!file.run.empty()) {
    task.input = subject.request.input + "\n";
    task.words = file.run;
    for (const std::string& word : file.run)
      task.command.arguments.push_back(word == kInstructions ? instructions_of(file, subject.request) : word);
    return task;
  }
  if (!crew.agent) return fail(crew.agent.error());
  PALE_TRY(parcel,
           pack_agent(*crew.agent, task_text(file, subject.request, subject.folders), crew.user_home, crew.caller));
  task.input = std::move(parcel);
  task.words = {crew.agent->adapter.name};
  task.command.arguments = {"pale", std::string(kParcelCommand)};
  task.command.program = &crew.program;
  return task;
}

}  // namespace pale::service
