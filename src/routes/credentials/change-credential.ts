import Type from "typebox";
import { CredentialEntry, CredentialName, PatchCredentialBody } from "../../contract/credentials.ts";
import { GatewayError } from "../../contract/errors.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { StoredCredentials } from "../../models/stored-credentials.ts";
import { BODY_BYTES_MAX } from "../stored-models/stored-model-deps.ts";
import { credentialEntry } from "./credential-entry.ts";

const Named = Type.Object({ name: CredentialName });

const KEEPS_ITS_NAME = "credential_name: A credential keeps its name, by which models ask for it; keep another one.";

export const changeCredential = (credentials: StoredCredentials): Route[] => [
  route({
    method: "PATCH",
    paths: ["/credentials/{name}"],
    tag: "Credentials",
    summary: "Change a credential",
    auth: "admin",
    params: Named,
    body: PatchCredentialBody,
    bodyBytesMax: BODY_BYTES_MAX,
    success: CredentialEntry,
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, body, connection }) {
      const { credential_name: name, credential_values: values, credential_info: info } = body;
      if ((name ?? params.name) !== params.name) {
        throw new GatewayError("invalid_request", KEEPS_ITS_NAME, { param: "credential_name" });
      }
      const changes = { ...(values ? { values } : {}), ...(info ? { info } : {}) };
      const actor = { caller, address: connection.remoteAddress };
      return json(credentialEntry(await credentials.update(actor, params.name, changes)));
    },
  }),
  route({
    method: "DELETE",
    paths: ["/credentials/{name}"],
    tag: "Credentials",
    summary: "Remove a credential that no model stands on",
    auth: "admin",
    params: Named,
    success: Type.Object({ success: Type.Boolean(), message: Type.String() }),
    errors: ["invalid_request", "not_found", "conflict"],
    async handle({ caller, params, connection }) {
      await credentials.remove({ caller, address: connection.remoteAddress }, params.name);
      return json({ success: true, message: "The credential was removed." });
    },
  }),
];
