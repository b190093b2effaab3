import type { OidcConfig } from "./config.ts";
import { OIDC } from "./keys/oidc.ts";
import { readUrl } from "./read-server.ts";
import { Section } from "./section.ts";

const SCOPES = ["openid", "email", "profile"];
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** `null`: there is no single sign-on. */
export function readOidc(general: Section, allowSignUp: boolean): OidcConfig | null {
  const map = general.map("oidc");
  if (map === null) return null;
  const oidc = new Section(general.scope).add(map.node, map.path, "oidc", OIDC);
  for (const key of ["issuer", "client_id"]) oidc.require(key, map.node.at, map.path);
  const issuer = readUrl(oidc, "issuer", /^https?:$/, "https://");
  if (issuer !== null && new URL(issuer).protocol === "http:" && !LOOPBACK.test(new URL(issuer).hostname)) {
    oidc.fault("issuer", "needs https:// unless it is on this machine");
  }
  return {
    issuer: issuer ?? "",
    clientId: oidc.text("client_id") ?? "",
    clientSecret: oidc.text("client_secret"),
    name: oidc.text("name") ?? "single sign-on",
    scopes: readScopes(oidc),
    allowedDomains: readDomains(oidc),
    allowSignUp: oidc.boolean("allow_sign_up") ?? allowSignUp,
    organizationId: oidc.text("organization_id"),
  };
}

function readScopes(oidc: Section): readonly string[] {
  const scopes = oidc.texts("scopes")?.flatMap((text) => text.split(/\s+/)) ?? SCOPES;
  if (!scopes.includes("openid")) oidc.fault("scopes", "needs `openid` among them");
  return scopes;
}

function readDomains(oidc: Section): readonly string[] {
  const domains = oidc.texts("allowed_domains")?.map((domain) => domain.toLowerCase()) ?? [];
  if (!domains.every((domain) => /^[^\s@/]+$/.test(domain))) {
    oidc.fault("allowed_domains", "expected domains such as example.com, without @");
  }
  return domains;
}
