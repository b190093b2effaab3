import { websiteOf } from "../../catalog/provider-websites.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { type PlatformModel, PlatformProvider } from "../../contract/platform-models.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { type CatalogDeps, platformModels } from "./platform-models.ts";

export const listProvidersRoute = (deps: CatalogDeps) =>
  route({
    method: "GET",
    paths: ["/api/providers"],
    tag: "Catalogue",
    summary: "List the providers whose models can be called",
    auth: "none",
    query: PageQuery,
    success: PagedList(PlatformProvider),
    errors: [],
    async handle({ query }) {
      const byProvider = new Map<string, PlatformModel[]>();
      for (const model of await platformModels(deps)) {
        byProvider.set(model.provider, [...(byProvider.get(model.provider) ?? []), model]);
      }
      const rows = Array.from(byProvider, ([id, models]) => describe(id, models, websiteOf(id)));
      rows.sort((a, b) => a.id.localeCompare(b.id));
      const page = pageOf(query);
      return json(paged(cutPage(rows, page), page, rows.length));
    },
  });

/** No list that we have tells what a provider is, or has its logo. */
const describe = (id: string, models: readonly PlatformModel[], website: string | null): PlatformProvider => ({
  id,
  name: models[0]?.providerName ?? id,
  description: null,
  website,
  logoUrl: null,
  status: statusOf(models),
  modelsCount: models.length,
  types: [...new Set(models.map((model) => model.type))].sort(),
});

function statusOf(models: readonly PlatformModel[]): PlatformProvider["status"] {
  if (models.every(({ status }) => status === "active")) return "operational";
  return models.every(({ status }) => status === "unavailable") ? "down" : "degraded";
}
