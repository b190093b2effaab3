import { GatewayError } from "../contract/errors.ts";
import { signAws } from "./aws-sign.ts";
import type { Signing, UpstreamRequest } from "./dialect.ts";
import type { EntraApp } from "./entra-token.ts";

interface SignDeps {
  /** An access token for the credentials of a Google key file. */
  readonly googleToken: (credentials: string) => Promise<string>;
  readonly entraToken: (app: EntraApp) => Promise<string>;
  readonly nowMs: () => number;
}

/** The headers of a request with the signature that its provider wants. */
export const createSign =
  (deps: SignDeps) =>
  async (request: UpstreamRequest, signing: Signing): Promise<Readonly<Record<string, string>>> => {
    if (signing.kind === "google") {
      return { ...request.headers, authorization: `Bearer ${await deps.googleToken(signing.credentials)}` };
    }
    if (signing.kind === "entra") {
      return { ...request.headers, authorization: `Bearer ${await deps.entraToken(signing.app)}` };
    }
    const { method = "POST", url, headers, body } = request;
    if (body !== null && typeof body !== "string" && !(body instanceof Uint8Array)) {
      throw new GatewayError("internal", "A body that is a stream cannot be signed.");
    }
    return signAws({ method, url, headers, body }, signing, new Date(deps.nowMs()));
  };
