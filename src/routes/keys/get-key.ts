import type { Keys } from "../../accounts/keys.ts";
import { ApiKeyRecord } from "../../contract/keys.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { KeyPath, referenceOf } from "./key-path.ts";
import { keyRecord } from "./key-record.ts";

export const getKey = (keys: Keys) =>
  route({
    method: "GET",
    paths: ["/api/gw/api-keys/{id}"],
    tag: "API keys",
    summary: "Show an API key",
    auth: "session",
    params: KeyPath,
    success: ApiKeyRecord,
    errors: ["not_found"],
    handle: async ({ caller, params }) => json(keyRecord(await keys.get({ caller, reference: referenceOf(params) }))),
  });
