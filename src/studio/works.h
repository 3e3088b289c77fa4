// studio/works.h: the operations of the API, each in a function. Those with a Caller run in a process of their own.
#pragma once

#include "service/request.h"
#include "studio/answer.h"

namespace pale::studio {

class Records;

// What the server knows by itself.
Answer say_document(const Asked& asked);

// The project gate.
Answer list_projects(const Asked& asked, const service::Caller& caller);
Answer make_project(const Asked& asked, const service::Caller& caller);
Answer import_project(const Asked& asked, const service::Caller& caller);
Answer choose_default(const Asked& asked, const service::Caller& caller);
Answer forget_project(const Asked& asked, const service::Caller& caller);

Answer count_overview(const Asked& asked, Records& records);

// The boundary and the manifest it comes from.
Answer show_boundary(const Asked& asked, const service::Caller& caller);
Answer show_areas(const Asked& asked, const service::Caller& caller);
Answer explain_place(const Asked& asked, const service::Caller& caller);
Answer try_manifest(const Asked& asked, const service::Caller& caller);
Answer show_manifest(const Asked& asked, const service::Caller& caller);
Answer replace_manifest(const Asked& asked, const service::Caller& caller);

// Sessions.
Answer list_agents(const Asked& asked, const service::Caller& caller);
Answer list_sessions(const Asked& asked, Records& records);
Answer start_task(const Asked& asked, const service::Caller& caller);
Answer show_session(const Asked& asked, Records& records);
Answer list_events(const Asked& asked, Records& records);
Answer give_input(const Asked& asked, const service::Caller& caller);
Answer stop_session(const Asked& asked, const service::Caller& caller);

// What was tried.
Answer list_accesses(const Asked& asked, Records& records);
Answer propose_change(const Asked& asked, const service::Caller& caller);

// Stages.
Answer list_stages(const Asked& asked, const service::Caller& caller);
Answer show_stage(const Asked& asked, const service::Caller& caller);
Answer show_diff(const Asked& asked, const service::Caller& caller);
Answer show_conflict(const Asked& asked, const service::Caller& caller);
Answer apply_stage(const Asked& asked, const service::Caller& caller);
Answer discard_stage(const Asked& asked, const service::Caller& caller);
Answer undo_stage(const Asked& asked, const service::Caller& caller);

// Workers, questions, stories.
Answer list_workers(const Asked& asked, const service::Caller& caller);
Answer list_calls(const Asked& asked, Records& records);
Answer list_approvals(const Asked& asked, const service::Caller& caller);
Answer answer_approval(const Asked& asked, const service::Caller& caller);
Answer show_loop(const Asked& asked, const service::Caller& caller);

}  // namespace pale::studio
