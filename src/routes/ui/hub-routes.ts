import Type from "typebox";
import { cutPage } from "../../contract/paging.ts";
import { type Route, route } from "../../http/route.ts";
import { filterModels } from "../catalog/model-filter.ts";
import { type CatalogDeps, findPlatformModel, platformModels } from "../catalog/platform-models.ts";
import { drawList, drawModel } from "./hub-page.ts";
import { type Pages, startPage } from "./ui-routes.ts";

const PAGE_SIZE = 200;
const shared = { method: "GET", tag: "Service", auth: "none", success: "text/html", hidden: true } as const;

/** Taken as they come: an address that somebody has typed shows a page, not an error. */
const Asked = Type.Object({ search: Type.Optional(Type.String()), page: Type.Optional(Type.String()) });

/** The public hub. The program in the browser draws it; those who let no script run read the same as a list. */
export const hubRoutes = (hub: Pages, deps: CatalogDeps): Route[] => [
  route({
    ...shared,
    paths: ["/ui/model_hub_table"],
    summary: "The public model hub",
    query: Asked,
    errors: [],
    async handle({ query }) {
      const search = (query.search ?? "").slice(0, 100);
      const found = filterModels(await platformModels(deps), { search, sort: "name" });
      const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
      const page = Math.min(pages, Math.max(1, Math.trunc(Number(query.page)) || 1));
      const models = cutPage(found, { page, pageSize: PAGE_SIZE });
      const { date: factsDate } = await deps.prices.inUse();
      const list = { models, search, page, pages, total: found.length, factsDate };
      return startPage(hub, (nonce) => drawList(list, nonce));
    },
  }),
  route({
    ...shared,
    paths: ["/ui/model_hub_table/{model_id...}"],
    summary: "A model of the public hub",
    params: Type.Object({ model_id: Type.String() }),
    errors: [],
    async handle({ params }) {
      const model = await findPlatformModel(deps, params.model_id);
      return startPage(hub, (nonce) => drawModel(model, nonce));
    },
  }),
];
