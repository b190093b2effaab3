import Type, { type Static } from "typebox";
import {
  AdminProviderView,
  CredentialName,
  ProviderCredentialBody,
  ProviderCredentialChange,
  ProviderCredentialView,
} from "../../contract/credentials.ts";
import { GatewayError } from "../../contract/errors.ts";
import { Done } from "../../contract/organizations.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { isoTimeOrNull } from "../../contract/users.ts";
import { created, json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { SeenCredential, StoredCredentials } from "../../models/stored-credentials.ts";
import type { StoredModels } from "../../models/stored-models.ts";
import { findProvider, listProviders } from "../../providers/registry.ts";

interface ProviderDeps {
  readonly models: StoredModels;
  readonly credentials: StoredCredentials;
}

const ProviderId = Type.Object({ id: Type.String({ maxLength: 100 }) });
const Credential = Type.Object({ id: Type.String({ maxLength: 100 }), name: CredentialName });
const shared = { tag: "Administration", auth: "admin" } as const;

/** Providers that can be called, and the credentials that are kept for them. */
export const providerRoutes = (deps: ProviderDeps): Route[] => [...readRoutes(deps), ...changeRoutes(deps)];

const readRoutes = (deps: ProviderDeps): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/providers"],
    summary: "List the providers that can be called, and which of them are set up",
    query: Type.Object({ ...PageQuery.properties, configured: Type.Optional(Type.Boolean()) }),
    success: PagedList(AdminProviderView),
    errors: [],
    handle({ query }) {
      const look = viewer(deps);
      const all = listProviders().map(({ id }) => look(id));
      const wanted = all.filter(({ configured }) => query.configured === undefined || configured === query.configured);
      const sorted = wanted.toSorted((a, b) => Number(b.configured) - Number(a.configured) || compare(a.id, b.id));
      const page = pageOf(query);
      return json(paged(cutPage(sorted, page), page, sorted.length));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: ["/api/admin/providers/{id}"],
    summary: "Show a provider with its credentials",
    params: ProviderId,
    success: AdminProviderView,
    errors: ["not_found"],
    handle: ({ params }) => json(viewer(deps)(known(params.id))),
  }),
];

const changeRoutes = ({ credentials }: ProviderDeps): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: ["/api/admin/providers/{id}/credentials"],
    summary: "Keep a credential of a provider",
    params: ProviderId,
    body: ProviderCredentialBody,
    success: ProviderCredentialView,
    successStatus: 201,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const info = { custom_llm_provider: known(params.id) };
      return created(credentialView(await credentials.create(actor, body.name, { values: body.values, info })));
    },
  }),
  route({
    ...shared,
    method: "PUT",
    paths: ["/api/admin/providers/{id}/credentials/{name}"],
    summary: "Change a credential of a provider",
    description: "What is left out stays, null takes a value away.",
    params: Credential,
    body: ProviderCredentialChange,
    success: ProviderCredentialView,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      requireOf(credentials, params);
      return json(credentialView(await credentials.update(actor, params.name, { values: body.values })));
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: ["/api/admin/providers/{id}/credentials/{name}"],
    summary: "Remove a credential that no model stands on",
    params: Credential,
    success: Done,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, connection }) {
      requireOf(credentials, params);
      await credentials.remove({ caller, address: connection.remoteAddress }, params.name);
      return json({ success: true });
    },
  }),
];

/** Looks once at what there is, for however many providers are asked for. */
function viewer({ models, credentials }: ProviderDeps): (id: string) => Static<typeof AdminProviderView> {
  const [allModels, allCredentials] = [models.list(), credentials.list()];
  return (id) => {
    const modelsCount = allModels.filter(({ provider }) => provider === id).length;
    const own = allCredentials.filter(({ provider }) => provider === id);
    return {
      id,
      name: findProvider(id)?.title ?? id,
      configured: modelsCount > 0 || own.length > 0,
      modelsCount,
      credentials: own.map(credentialView),
    };
  };
}

const credentialView = (seen: SeenCredential): Static<typeof ProviderCredentialView> => ({
  name: seen.name,
  provider: seen.provider,
  source: seen.source,
  values: { ...seen.values },
  usedBy: [...seen.usedBy],
  createdAt: isoTimeOrNull(seen.createdAt),
  updatedAt: isoTimeOrNull(seen.updatedAt),
});

function known(id: string): string {
  if (findProvider(id)) return id;
  throw new GatewayError("not_found", "There is no such provider.");
}

function requireOf(credentials: StoredCredentials, { id, name }: Static<typeof Credential>): void {
  if (credentials.get(name).provider !== known(id)) throw new GatewayError("not_found", "There is no such credential.");
}

const compare = (a: string, b: string): number => (a < b ? -1 : 1);
