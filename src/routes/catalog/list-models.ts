import Type from "typebox";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import type { GatewayDeps } from "../../gateway/deps.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { platformModels } from "./platform-models.ts";

const Search = Type.Optional(Type.String({ maxLength: 100, description: "Part of the id or of the provider's name." }));

export const listPlatformModels = (deps: Pick<GatewayDeps, "catalog" | "clock">) =>
  route({
    method: "GET",
    paths: ["/api/models"],
    tag: "Catalogue",
    summary: "List and search the models that can be called",
    auth: "none",
    query: Type.Object({
      ...PageQuery.properties,
      search: Search,
      type: Type.Optional(Type.String({ maxLength: 50, description: "Such as chat or embedding." })),
      provider: Type.Optional(Type.String({ maxLength: 100 })),
    }),
    success: PagedList(Type.Object({}, { additionalProperties: true })),
    errors: [],
    async handle({ query }) {
      const { search, type, provider } = query as { search?: string; type?: string; provider?: string };
      const wanted = search?.toLowerCase() ?? "";
      const found = (await platformModels(deps.catalog(), deps.clock.nowMs())).filter(
        (model) =>
          `${model.id} ${model.providerName}`.toLowerCase().includes(wanted) &&
          (type === undefined || model.type === type) &&
          (provider === undefined || model.provider === provider),
      );
      const page = pageOf(query);
      return json(paged(cutPage(found, page), page, found.length));
    },
  });
