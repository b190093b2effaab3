import { ApiKeyRecord } from "../../contract/keys.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { KeyPath, referenceOf } from "./key-path.ts";
import { keyRecord } from "./key-record.ts";
import type { KeyRouteDeps } from "./key-route-deps.ts";

export const getKey = (deps: KeyRouteDeps) =>
  route({
    method: "GET",
    paths: ["/api/gw/api-keys/{id}"],
    tag: "API keys",
    summary: "Show an API key",
    auth: "session",
    scope: "keys:read",
    params: KeyPath,
    success: ApiKeyRecord,
    errors: ["not_found"],
    handle: async ({ caller, params }) =>
      json(await keyRecord(deps, await deps.keys.get({ caller, reference: referenceOf(params) }))),
  });
