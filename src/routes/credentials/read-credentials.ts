import Type from "typebox";
import { CredentialEntry, CredentialName } from "../../contract/credentials.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { StoredCredentials } from "../../models/stored-credentials.ts";
import { credentialEntry } from "./credential-entry.ts";

export const readCredentials = (credentials: StoredCredentials): Route[] => [
  route({
    method: "GET",
    paths: ["/credentials"],
    tag: "Credentials",
    summary: "List credentials, with their values masked",
    auth: "admin",
    success: Type.Object({ success: Type.Boolean(), credentials: Type.Array(CredentialEntry) }),
    errors: [],
    handle: () => json({ success: true, credentials: credentials.list().map(credentialEntry) }),
  }),
  route({
    method: "GET",
    paths: ["/credentials/by_name/{name}"],
    tag: "Credentials",
    summary: "Show a credential, with its values masked",
    auth: "admin",
    params: Type.Object({ name: CredentialName }),
    success: CredentialEntry,
    errors: ["not_found"],
    handle: ({ params }) => json(credentialEntry(credentials.get(params.name))),
  }),
];
