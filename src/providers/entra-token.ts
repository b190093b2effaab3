import { askForToken, keepTokens, requireSafeUri, type TokenDeps } from "./token-endpoint.ts";

/** An app registration in Microsoft's directory, which a gateway may call Azure as. */
export interface EntraApp {
  readonly authority: string;
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

interface EntraTokens {
  accessToken(app: EntraApp): Promise<string>;
}

export function createEntraTokens(deps: TokenDeps): EntraTokens {
  const kept = keepTokens((app) => requestToken(JSON.parse(app) as EntraApp, deps), deps.nowMs);
  return { accessToken: (app) => kept(JSON.stringify(app)) };
}

function requestToken({ authority, tenantId, clientId, clientSecret, scope }: EntraApp, deps: TokenDeps) {
  const path = `/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  const uri = requireSafeUri(authority.replace(/\/+$/, "") + path, "AZURE_AUTHORITY_HOST");
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
    scope,
  });
  return askForToken("Microsoft Entra", uri, form, deps);
}
