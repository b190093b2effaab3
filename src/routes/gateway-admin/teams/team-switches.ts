import { GatewayError } from "../../../contract/errors.ts";
import { OneTeamBody, TeamModelsBody } from "../../../contract/gateway-admin/teams.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf } from "../authority-of.ts";
import { ANY, OPERATORS } from "../shared.ts";
import { modelsOf } from "../wire-values.ts";
import { teamRow } from "./team-row.ts";

const shared = { method: "POST", tag: "Teams of the gateway" } as const;

export const teamSwitches = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...OPERATORS,
    ...shared,
    paths: ["/team/block"],
    summary: "Block a team",
    description: "Its keys are refused from the very next call on.",
    body: OneTeamBody,
    errors: ["not_found"],
    async handle({ body, caller, connection }) {
      const team = await deps.teams.block({ actor: actorOf({ caller, connection }), teamId: body.team_id });
      return json(await teamRow(deps, team));
    },
  }),
  route({
    ...OPERATORS,
    ...shared,
    paths: ["/team/unblock"],
    summary: "Unblock a team",
    description: "One that its organization's balance blocks stays so until there are credits.",
    body: OneTeamBody,
    errors: ["not_found"],
    async handle({ body, caller, connection }) {
      const team = await deps.teams.unblock({ actor: actorOf({ caller, connection }), teamId: body.team_id });
      return json(await teamRow(deps, team));
    },
  }),
  route({
    ...ANY,
    ...shared,
    paths: ["/team/model/add"],
    summary: "Let a team call more models",
    description: "A team with an empty list may call all models already, and stays so.",
    body: TeamModelsBody,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ body, caller, connection }) {
      const actor = actorOf({ caller, connection });
      const { team } = await deps.teams.get({ caller: actor.caller, teamId: body.team_id });
      const added = modelsOf(body.models) ?? [];
      const isAll = team.models.length === 0 || added.length === 0;
      const models = isAll ? [] : [...team.models, ...added];
      return json(await teamRow(deps, await deps.teams.update({ actor, teamId: team.id, changes: { models } })));
    },
  }),
  route({
    ...ANY,
    ...shared,
    paths: ["/team/model/delete"],
    summary: "Let a team call fewer models",
    description: "The last one cannot go, because an empty list means all of them.",
    body: TeamModelsBody,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ body, caller, connection }) {
      const actor = actorOf({ caller, connection });
      const { team } = await deps.teams.get({ caller: actor.caller, teamId: body.team_id });
      const models = team.models.filter((name) => !body.models.includes(name));
      if (models.length === 0 && team.models.length > 0) throw lastModel();
      return json(await teamRow(deps, await deps.teams.update({ actor, teamId: team.id, changes: { models } })));
    },
  }),
];

const lastModel = (): GatewayError =>
  new GatewayError("conflict", "models: the team could call everything without any; block the team instead.", {
    param: "models",
  });
