import type { Route } from "../../http/route.ts";
import type { StoredCredentials } from "../../models/stored-credentials.ts";
import { changeCredential } from "./change-credential.ts";
import { createCredential } from "./create-credential.ts";
import { readCredentials } from "./read-credentials.ts";

/** Credentials of providers, as those who script the gateway know these operations. */
export const credentialRoutes = (credentials: StoredCredentials): Route[] => [
  createCredential(credentials),
  ...readCredentials(credentials),
  ...changeCredential(credentials),
];
