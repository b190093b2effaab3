import Type from "typebox";
import {
  AdminModelTest,
  AdminModelView,
  CreateAdminModelBody,
  UpdateAdminModelBody,
} from "../../contract/admin-models.ts";
import { GatewayError } from "../../contract/errors.ts";
import { Done } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { ModelId } from "../../contract/stored-models.ts";
import { checkDeployment } from "../../gateway/health/health.ts";
import { created, json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { SeenModel } from "../../models/seen-model.ts";
import type { StoredModelRouteDeps } from "../stored-models/stored-model-deps.ts";
import { changesOf, entryOf, inPlatformWords } from "./model-entry.ts";
import { adminModelView } from "./model-view.ts";

const Named = Type.Object({ id: ModelId });
const shared = { tag: "Administration", auth: "admin" } as const;

/** Every model, wherever it is kept; those of the configuration file are shown and changed there. */
export const adminModelRoutes = (deps: StoredModelRouteDeps): Route[] => [
  listModels(deps),
  createModel(deps),
  getModel(deps),
  updateModel(deps),
  removeModel(deps),
  testModel(deps),
];

const view = async ({ prices, clock }: Pick<StoredModelRouteDeps, "prices" | "clock">, model: SeenModel) =>
  adminModelView(model, await prices.book(), clock.nowMs());

const listModels = ({ models, clock, prices }: StoredModelRouteDeps) =>
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/models"],
    summary: "List every model, those of the file and those that are stored",
    query: Type.Object({
      ...PageQuery.properties,
      search: Type.Optional(Type.String({ maxLength: 100, description: "Part of the name or of the id." })),
      provider: Type.Optional(Type.String({ maxLength: 100 })),
      source: Type.Optional(Type.Enum(["configuration", "built-in", "database"])),
      status: Type.Optional(Type.Enum(["enabled", "disabled"])),
    }),
    success: PagedList(AdminModelView),
    errors: [],
    async handle({ query }) {
      const { search = "", provider, source, status } = query;
      const found = models
        .list()
        .filter(
          (model) =>
            `${model.group} ${model.id}`.toLowerCase().includes(search.toLowerCase()) &&
            (provider === undefined || model.provider === provider) &&
            (source === undefined || model.source === source) &&
            (status === undefined || model.status === status),
        );
      const page = pageOf(query);
      const book = await prices.book();
      const rows = cutPage(found, page).map((model) => adminModelView(model, book, clock.nowMs()));
      return json(paged(rows, page, found.length));
    },
  });

const createModel = (deps: StoredModelRouteDeps) =>
  route({
    ...shared,
    method: "POST",
    paths: ["/api/admin/models"],
    summary: "Add a model",
    body: CreateAdminModelBody,
    success: AdminModelView,
    successStatus: 201,
    errors: ["invalid_request", "conflict"],
    async handle({ caller, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const { model, warnings } = await inPlatformWords(async () => deps.models.create(actor, entryOf(body)));
      return created({ ...(await view(deps, model)), warnings });
    },
  });

const getModel = (deps: StoredModelRouteDeps) =>
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/models/{id}"],
    summary: "Show a model",
    params: Named,
    success: AdminModelView,
    errors: ["not_found"],
    handle: async ({ params }) => json(await view(deps, deps.models.get(params.id))),
  });

const updateModel = (deps: StoredModelRouteDeps) =>
  route({
    ...shared,
    method: "PUT",
    paths: ["/api/admin/models/{id}"],
    summary: "Change a stored model",
    description: "What is left out stays, null takes a setting away. A model of the configuration file: 409.",
    params: Named,
    body: UpdateAdminModelBody,
    success: AdminModelView,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, body, connection }) {
      const { status, ...settings } = body;
      const actor = { caller, address: connection.remoteAddress };
      const changed = await inPlatformWords(async () =>
        deps.models.update(actor, params.id, changesOf(settings, deps.models.get(params.id)), status),
      );
      return json({ ...(await view(deps, changed.model)), warnings: changed.warnings });
    },
  });

const removeModel = ({ models }: StoredModelRouteDeps) =>
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/admin/models/{id}"],
    summary: "Remove a stored model",
    params: Named,
    success: Done,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, connection }) {
      await models.remove({ caller, address: connection.remoteAddress }, params.id);
      return json({ success: true });
    },
  });

const testModel = ({ models, transport, env }: StoredModelRouteDeps) =>
  route({
    ...shared,
    method: "POST",
    paths: ["/api/admin/models/{id}/test"],
    summary: "Call a model once and tell how long it took or what failed",
    params: Named,
    success: AdminModelTest,
    errors: ["not_found", "conflict"],
    async handle({ params, connection, request }) {
      const { deployment, faults } = models.get(params.id);
      if (!deployment) throw new GatewayError("conflict", `The model cannot be read: ${faults.join("; ")}`);
      connection.keepOpen();
      const result = await checkDeployment({ transport, env }, deployment, request.signal).finally(() =>
        connection.release(),
      );
      const { duration_ms: latencyMs, error = null, kind = null } = result;
      return json({ ok: error === null, latencyMs, error, kind });
    },
  });
