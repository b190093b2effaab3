import Type from "typebox";
import { RouterProvider } from "../../contract/openrouter.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { type CatalogDeps, platformModels } from "../catalog/platform-models.ts";
import { ROUTER_BASE } from "./under-api.ts";

export const routerProviders = (deps: CatalogDeps) =>
  route({
    method: "GET",
    paths: [`${ROUTER_BASE}/providers`],
    tag: "OpenRouter",
    summary: "List the providers whose models can be called, as OpenRouter does",
    description: "Links to their papers are not known here. `GET /api/providers` tells how they are.",
    auth: "none",
    success: Type.Object({ data: Type.Array(RouterProvider) }),
    errors: [],
    async handle() {
      const names = new Map((await platformModels(deps)).map(({ provider, providerName }) => [provider, providerName]));
      const data = Array.from(names, ([slug, name]) => ({ name, slug, ...NO_LINKS }));
      return json({ data: data.sort((one, other) => one.slug.localeCompare(other.slug)) });
    },
  });

const NO_LINKS = { privacy_policy_url: null, terms_of_service_url: null, status_page_url: null };
