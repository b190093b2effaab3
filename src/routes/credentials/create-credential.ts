import { CreatedCredential, NewCredentialBody } from "../../contract/credentials.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { StoredCredentials } from "../../models/stored-credentials.ts";
import { BODY_BYTES_MAX } from "../stored-models/stored-model-deps.ts";
import { credentialEntry } from "./credential-entry.ts";

export const createCredential = (credentials: StoredCredentials) =>
  route({
    method: "POST",
    paths: ["/credentials"],
    tag: "Credentials",
    summary: "Keep a provider's credential",
    description: "Models take its values over by naming it in `litellm_credential_name`.",
    auth: "admin",
    body: NewCredentialBody,
    bodyBytesMax: BODY_BYTES_MAX,
    success: CreatedCredential,
    errors: ["invalid_request", "conflict"],
    async handle({ caller, body, connection }) {
      const { credential_name: name, credential_values: values, credential_info: info } = body;
      const actor = { caller, address: connection.remoteAddress };
      const made = await credentials.create(actor, name, { values, info: info ?? {} });
      return json({ ...credentialEntry(made), success: true });
    },
  });
