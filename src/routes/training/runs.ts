import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import { Done, eitherOf } from "../../contract/organizations.ts";
import { PagedList, paged, pageOf } from "../../contract/paging.ts";
import { CreateRunBody, RollbackBody, RunDetails, RunRecord, RunsQuery } from "../../contract/training.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";
import { created, json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { Person } from "../../training/access.ts";
import type { TrainingRun } from "../../training/records.ts";
import type { Runs } from "../../training/runs.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { planText, readYaml } from "./plan-yaml.ts";

const shared = { tag: "Training", auth: "session" } as const;
const LIST = { ...shared, paths: ["/api/training/runs"] } as const;
const Id = Type.Object({ id: Type.String() });
const ONE = { ...shared, paths: ["/api/training/runs/{id}"], params: Id } as const;

/** `bodyBytesMax` bounds the model that a run begins with. */
export const runRoutes = (runs: Runs, bodyBytesMax: number): Route[] => [
  ...listRoutes(runs, bodyBytesMax),
  ...oneRoutes(runs),
  control(runs, "pause", "Pause a run", "What was answered in its round is kept; `resume` goes on from there."),
  control(runs, "resume", "Go on with a paused run", "From its last finished round."),
  rollback(runs),
  control(runs, "cancel", "End a run", "Its rounds and models stay until it is deleted."),
];

const listRoutes = (runs: Runs, bodyBytesMax: number): Route[] => [
  route({
    ...LIST,
    method: "GET",
    summary: "List the organization's training runs",
    query: RunsQuery,
    success: PagedList(RunRecord),
    errors: ["permission", "not_found"],
    async handle({ caller, query, request }) {
      const page = pageOf(query);
      const filter = query.status === undefined ? {} : { status: query.status };
      const { rows, total } = await runs.list(caller, namedOrganization(request), filter, page);
      return json(paged(rows.map(runRecord), page, total));
    },
  }),
  route({
    ...LIST,
    method: "POST",
    summary: "Start a training run",
    description:
      "Of a plan as `docs/training.md` has it; `participants` are names of registered ones, and `initialModel` stands for its " +
      "`initial`. Every fault of a plan is told at once. Needs the role admin or owner.",
    body: CreateRunBody,
    bodyBytesMax,
    success: RunDetails,
    successStatus: 201,
    errors: ["invalid_request", "permission", "not_found", "conflict", "unavailable"],
    async handle({ caller, body, request, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const initial = readModel(eitherOf(body.initialModel, body.initial_model) ?? null);
      const plan = typeof body.plan === "string" ? readYaml(body.plan) : body.plan;
      return created(runDetails(await runs.create(actor, namedOrganization(request), { plan, initial })));
    },
  }),
];

const oneRoutes = (runs: Runs): Route[] => [
  route({
    ...ONE,
    method: "GET",
    summary: "Show a training run with its plan",
    success: RunDetails,
    errors: ["permission", "not_found"],
    handle: async ({ caller, params }) => json(runDetails(await runs.get(caller, params.id))),
  }),
  route({
    ...ONE,
    method: "DELETE",
    summary: "Delete a run that has ended",
    description: "With its rounds, its models and its files; what the audit log has of it stays.",
    success: Done,
    errors: ["permission", "not_found", "conflict"],
    async handle({ caller, params, connection }) {
      await runs.remove({ caller, address: connection.remoteAddress }, params.id);
      return json({ success: true });
    },
  }),
];

const rollback = (runs: Pick<Runs, "rollBack">): Route =>
  route({
    ...shared,
    method: "POST",
    paths: ["/api/training/runs/{id}/rollback"],
    params: Id,
    summary: "Return a run to an earlier round",
    description:
      "For a paused or completed run. The rounds after `round` and their models are removed, and the run is paused: `resume` " +
      "continues it. The memory of its strategy starts again. Needs the role admin or owner.",
    body: RollbackBody,
    success: RunRecord,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, params, body, connection }) {
      const actor: Person = { caller, address: connection.remoteAddress };
      return json(runRecord(await runs.rollBack(actor, params.id, body.round)));
    },
  });

const control = (
  runs: Pick<Runs, "pause" | "resume" | "cancel">,
  verb: "pause" | "resume" | "cancel",
  summary: string,
  description: string,
): Route =>
  route({
    ...shared,
    method: "POST",
    paths: [`/api/training/runs/{id}/${verb}`],
    params: Id,
    summary,
    description,
    success: RunRecord,
    errors: ["permission", "not_found", "conflict"],
    async handle({ caller, params, connection }) {
      const actor: Person = { caller, address: connection.remoteAddress };
      return json(runRecord(await runs[verb](actor, params.id)));
    },
  });

function readModel(base64: string | null): Uint8Array | null {
  if (base64 === null) return null;
  try {
    return Uint8Array.fromBase64(base64, { lastChunkHandling: "strict" });
  } catch {
    throw wrong("initialModel", "it is not base64");
  }
}

const wrong = (param: string, why: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: ${why}.`, { param });

const runRecord = (run: TrainingRun): RunRecord => {
  const strategy = run.plan.aggregate === "participants" ? "participants" : (run.plan.strategy ?? "fedavg");
  return {
    id: run.id,
    organizationId: run.organizationId,
    name: run.name,
    status: run.status,
    reason: run.reason,
    strategy:
      typeof strategy === "object" && strategy !== null && "name" in strategy
        ? String(strategy.name)
        : String(strategy),
    participants: run.plan.participants.map(({ id }) => id),
    rounds: run.rounds,
    roundsDone: run.roundsDone,
    createdAt: isoTime(run.createdAt),
    updatedAt: isoTime(run.updatedAt),
    startedAt: isoTimeOrNull(run.startedAt),
    endedAt: isoTimeOrNull(run.endedAt),
  };
};

const runDetails = (run: TrainingRun): RunDetails => ({
  ...runRecord(run),
  plan: { ...run.plan },
  planYaml: planText(run.plan),
});
