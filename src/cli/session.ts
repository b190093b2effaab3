import { type CliError, notSignedIn, usageError } from "./cli-error.ts";
import type { Credential, SettingsFiles } from "./settings-files.ts";

const URL_DEFAULT = "http://127.0.0.1:4000";
const REFRESH_SHARE = 0.2;

interface Issued {
  readonly token: string;
  readonly expiresAt: string;
}

/** Which server is meant and who speaks to it. Flags win over the environment, and that over the profile. */
export class Session {
  readonly profileName: string;
  readonly url: string;
  private readonly envToken: string | null;

  constructor(
    readonly files: SettingsFiles,
    flags: { readonly url?: string; readonly profile?: string },
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.profileName = flags.profile ?? (env.TURNPIKE_PROFILE || "default");
    if (!/^[\w.-]{1,64}$/.test(this.profileName) || this.profileName === "__proto__") {
      throw usageError("A profile's name has letters, digits, dots, dashes and underscores.");
    }
    const url = flags.url ?? (env.TURNPIKE_URL || files.profile(this.profileName).url);
    this.url = normalizeUrl(url ?? URL_DEFAULT);
    this.envToken = env.TURNPIKE_TOKEN || null;
  }

  /** Whether the token is the profile's own, so that signing in and out change it. */
  get isFromEnvironment(): boolean {
    return this.envToken !== null;
  }

  /** The token for the next call. One that nears its end is exchanged for a new one, without a word. */
  async token(refresh: (old: string) => Promise<Issued>, nowMs = Date.now()): Promise<string> {
    if (this.envToken !== null) return this.envToken;
    const credential = this.credential();
    if (!isNearEnd(credential, nowMs)) return credential.token;
    try {
      const issued = await refresh(credential.token);
      this.keep(issued, nowMs);
      return issued.token;
    } catch (thrown) {
      // What is left of the old token may still do; only one that has ended is worth an error.
      if (Date.parse(credential.expiresAt) > nowMs) return credential.token;
      throw (thrown as CliError).code === "UNAUTHORIZED" ? notSignedIn("Your session has ended.") : thrown;
    }
  }

  keep({ token, expiresAt }: Issued, nowMs = Date.now()): void {
    const issuedAt = new Date(nowMs).toISOString();
    this.files.saveCredential(this.profileName, { url: this.url, token, issuedAt, expiresAt });
  }

  /** Whether a token of this server is kept, good or not. */
  get isKept(): boolean {
    return this.files.credential(this.profileName)?.url === this.url;
  }

  forget(): void {
    this.files.saveCredential(this.profileName, null);
  }

  private credential(): Credential {
    const kept = this.files.credential(this.profileName);
    if (kept === null) throw notSignedIn();
    if (kept.url !== this.url) throw notSignedIn(`You are signed in at ${kept.url}, not at ${this.url}.`);
    return kept;
  }
}

function isNearEnd({ issuedAt, expiresAt }: Credential, nowMs: number): boolean {
  const [from, until] = [Date.parse(issuedAt), Date.parse(expiresAt)];
  return !(until - nowMs >= (until - from) * REFRESH_SHARE);
}

function normalizeUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") {
    throw usageError(`"${text}" is not the address of a server.`, "Write it as https://gateway.example.com.");
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
