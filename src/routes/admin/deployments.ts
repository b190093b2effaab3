import Type from "typebox";
import type { Catalog } from "../../catalog/catalog.ts";
import {
  DEPLOYMENT_STATES,
  DeploymentCooldownBody,
  DeploymentView,
  UpdateDeploymentBody,
} from "../../contract/deployments.ts";
import { GatewayError } from "../../contract/errors.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { ModelId } from "../../contract/stored-models.ts";
import type { Router } from "../../gateway/routing/router.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";
import type { DeploymentSwitches } from "../../models/deployment-switches.ts";
import { joinDeployments } from "./join-deployments.ts";

export interface DeploymentRouteDeps {
  readonly catalog: () => Catalog;
  readonly router: Router;
  readonly switches: DeploymentSwitches;
  readonly clock: Clock;
  /** As the other workers of this server see them, with all that was changed here. */
  readonly others: () => Promise<readonly (readonly DeploymentView[])[]>;
}

const Named = Type.Object({ id: ModelId });
const shared = { tag: "Administration", auth: "admin" } as const;
const REST_SECONDS = 60;

/** How deployments do, and what operators can do about it while they run. */
export const deploymentRoutes = (deps: DeploymentRouteDeps): Route[] => [
  listDeployments(deps),
  updateDeployment(deps),
  coolDown(deps),
];

const listDeployments = (deps: DeploymentRouteDeps) =>
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/deployments"],
    summary: "List deployments with their state, load and latency",
    description:
      "Calls, times and rests after failures are those of the server that answers: of its workers together, the longest time and " +
      "the worst state of any.",
    query: Type.Object({
      ...PageQuery.properties,
      group: Type.Optional(Type.String({ maxLength: 512, description: "Only those of this group." })),
      state: Type.Optional(Type.Enum([...DEPLOYMENT_STATES])),
    }),
    success: PagedList(DeploymentView),
    errors: [],
    async handle({ query }) {
      const { group, state } = query;
      const found = (await joined(deps)).filter(
        (one) => (group === undefined || one.group === group) && (state === undefined || one.state === state),
      );
      const page = pageOf(query);
      return json(paged(cutPage(found, page), page, found.length));
    },
  });

const updateDeployment = (deps: DeploymentRouteDeps) =>
  route({
    ...shared,
    method: "PATCH",
    paths: ["/api/admin/deployments/{id}"],
    summary: "Switch a deployment on or off, or change its weight",
    description:
      "Also one of the configuration file. It holds in every process within two seconds, and after a restart.",
    params: Named,
    body: UpdateDeploymentBody,
    success: DeploymentView,
    errors: ["not_found"],
    async handle({ caller, params: { id }, body, connection }) {
      requireKnown(deps, id);
      const { enabled, weight } = body;
      const changes = {
        ...(enabled === undefined ? {} : { enabled }),
        ...(weight === undefined ? {} : { weight }),
      };
      await deps.switches.set({ caller, address: connection.remoteAddress }, id, "deployment.update", changes);
      return json(await find(deps, id));
    },
  });

const coolDown = (deps: DeploymentRouteDeps) =>
  route({
    ...shared,
    method: "POST",
    paths: ["/api/admin/deployments/{id}/cooldown"],
    summary: "Let a deployment rest for a while, or end its rest",
    description:
      "A deployment that rests gets calls only where no other of its group is well. Clearing also ends a rest after failures.",
    params: Named,
    body: DeploymentCooldownBody,
    success: DeploymentView,
    errors: ["not_found"],
    async handle({ caller, params: { id }, body, connection }) {
      requireKnown(deps, id);
      const now = deps.clock.nowMs();
      const started = body.action === "start";
      const changes = started
        ? { restUntil: now + (body.seconds ?? REST_SECONDS) * 1000 }
        : { restUntil: null, clearedAt: now };
      const action = started ? "deployment.rest" : "deployment.clear";
      await deps.switches.set({ caller, address: connection.remoteAddress }, id, action, changes);
      return json(await find(deps, id));
    },
  });

/** Each as the process that answers sees it. */
export const viewsOf = (catalog: Catalog, router: Router): readonly DeploymentView[] =>
  catalog.groupNames().flatMap((name) => router.describe(catalog.group(name)));

function requireKnown({ catalog }: DeploymentRouteDeps, id: string): void {
  if (!catalog().findById(id)) throw new GatewayError("not_found", "There is no such deployment.");
}

const joined = async ({ catalog, router, others }: DeploymentRouteDeps): Promise<readonly DeploymentView[]> =>
  joinDeployments(viewsOf(catalog(), router), await others());

async function find(deps: DeploymentRouteDeps, id: string): Promise<DeploymentView> {
  const found = (await joined(deps)).find((one) => one.id === id);
  if (!found) throw new GatewayError("not_found", "There is no such deployment.");
  return found;
}
