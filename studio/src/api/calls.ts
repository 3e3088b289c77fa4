// The calls the page makes, by name. All but the gate's own carry the project.
import { get, post, put, remove, type Query } from "./client";
import type * as s from "./schema";

const of = (project: string, more: Query = {}): Query => ({ project_id: project, ...more });
const part = encodeURIComponent;

export const me = () => get<s.Me>("/me");

export const logout = () => post<s.Done>("/logout", {});

export const projects = {
  list: () => get<s.Projects>("/projects"),
  create: (project: s.NewProject) => post<s.Project>("/projects", {}, project),
  import: (path: string) => post<s.Project>("/projects/import", {}, { path } satisfies s.ImportProject),
  makeDefault: (id: string) => put<s.Projects>("/projects/default", {}, { project_id: id } satisfies s.DefaultProject),
  unregister: (id: string) => remove<s.Done>(`/projects/${part(id)}`, of(id)),
};

export const overview = (project: string) => get<s.Overview>("/overview", of(project));

export const boundary = {
  rules: (project: string) => get<s.Boundary>("/boundary", of(project)),
  tree: (project: string, path: string, depth: number) => get<s.Area>("/boundary/tree", of(project, { path, depth })),
  explain: (project: string, path: string) => get<s.Explanation>("/boundary/explain", of(project, { path })),
  whatIf: (project: string, asked: s.WhatIfAsked) => post<s.WhatIf>("/boundary/what-if", of(project), asked),
};

export const manifest = {
  read: (project: string) => get<s.Manifest>("/manifest", of(project)),
  save: (project: string, text: string, digest: string) => put<s.Manifest>("/manifest", of(project), { text, digest } satisfies s.NewManifest),
};

export const agents = (project: string) => get<s.Agents>("/agents", of(project));

export const sessions = {
  list: (project: string) => get<s.Sessions>("/sessions", of(project)),
  show: (project: string, id: string) => get<s.SessionWhole>(`/sessions/${part(id)}`, of(project)),
  start: (project: string, session: s.NewSession) => post<s.Started>("/sessions", of(project), session),
  input: (project: string, id: string, input: s.Input) => post<s.Done>(`/sessions/${part(id)}/input`, of(project), input),
  stop: (project: string, id: string) => post<s.Done>(`/sessions/${part(id)}/stop`, of(project)),
};

export interface AccessFilter {
  kind?: string;
  path?: string;
  session?: string;
  since?: string;
  until?: string;
  before?: string;
  limit?: number;
}

export const accesses = {
  list: (project: string, filter: AccessFilter) => get<s.Accesses>("/accesses", of(project, { ...filter })),
  propose: (project: string, what: s.Propose) => post<s.Proposal>("/accesses/propose", of(project), what),
};

export const stages = {
  list: (project: string) => get<s.Stages>("/stages", of(project)),
  show: (project: string, id: string) => get<s.StageWhole>(`/stages/${part(id)}`, of(project)),
  diff: (project: string, id: string, path: string) => get<s.FileDiff>(`/stages/${part(id)}/diff`, of(project, { path })),
  conflict: (project: string, id: string, path: string) => get<s.ConflictTexts>(`/stages/${part(id)}/conflict`, of(project, { path })),
  apply: (project: string, id: string, what: s.Apply) => post<s.ApplyDone>(`/stages/${part(id)}/apply`, of(project), what),
  discard: (project: string, id: string, what: s.Discard) => post<s.Done>(`/stages/${part(id)}/discard`, of(project), what),
  undo: (project: string, id: string, what: s.Undo) => post<s.ApplyDone>(`/stages/${part(id)}/undo`, of(project), what),
};

export const workers = {
  tree: (project: string) => get<s.Workers>("/workers", of(project)),
  calls: (project: string) => get<s.WorkerCalls>("/workers/calls", of(project)),
};

export const approvals = {
  list: (project: string) => get<s.Approvals>("/approvals", of(project)),
  decide: (project: string, id: string, answer: s.Decide) => post<s.Decided>(`/approvals/${part(id)}`, of(project), answer),
};

export const loop = (project: string) => get<s.Loop>("/loop", of(project));
