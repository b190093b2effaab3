import { OidcIssuer } from "../accounts/oidc-issuer.ts";
import type { Clock } from "../lib/clock.ts";
import type { LiveConfig } from "./live-config.ts";

/** The issuer that the present configuration names; what is known of it is kept until the configuration names another. */
export class IssuerOfConfig {
  private made: OidcIssuer | null = null;

  constructor(
    private readonly live: LiveConfig,
    private readonly clock: Clock,
  ) {}

  current(): OidcIssuer | null {
    const { oidc } = this.live.config;
    if (oidc === null) return null;
    if (this.made?.settings !== oidc) this.made = new OidcIssuer(oidc, this.clock, (url, init) => fetch(url, init));
    return this.made;
  }
}
