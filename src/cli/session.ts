import { type CliError, notSignedIn, usageError } from "./cli-error.ts";
import type { Credential, SettingsFiles } from "./settings-files.ts";

const URL_DEFAULT = "http://127.0.0.1:4000";
const PROFILE_DEFAULT: Said = { value: "default", source: "default" };
const REFRESH_SHARE = 0.2;

interface Said {
  readonly value: string;
  readonly source: string;
}

interface Issued {
  readonly token: string;
  readonly expiresAt: string;
}

/** Which server is meant and who speaks to it. Flags win over the environment, and that over the profile. */
export class Session {
  readonly url: string;
  /** Where it was said: a flag, a variable, the settings file, or nowhere. */
  readonly urlSource: string;
  private profileSaid: Said | null;
  private readonly envToken: string | null;

  constructor(
    readonly files: SettingsFiles,
    flags: { readonly url?: string; readonly profile?: string },
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.profileSaid = firstOf([
      [flags.profile, "--profile"],
      [env.TURNPIKE_PROFILE, "TURNPIKE_PROFILE"],
    ]);
    if (this.profileSaid) checkProfileName(this.profileSaid.value);
    const url = firstOf([
      [flags.url, "--url"],
      [env.TURNPIKE_URL, "TURNPIKE_URL"],
      [() => files.profile(this.profileName).url, "config"],
    ]);
    this.url = normalizeUrl(url?.value ?? URL_DEFAULT);
    this.urlSource = url?.source ?? "default";
    this.envToken = env.TURNPIKE_TOKEN || null;
  }

  get profileName(): string {
    return this.profile.value;
  }

  get profileSource(): string {
    return this.profile.source;
  }

  /** The settings file is read only where it has a say: a script that is told everything may run where there is no home. */
  private get profile(): Said {
    this.profileSaid ??= firstOf([[() => this.files.defaultProfile(), "config"]]) ?? PROFILE_DEFAULT;
    return this.profileSaid;
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

/** The first that is said, and where. A flag that is empty is a slip, to be complained about; a variable that is empty is none. */
function firstOf(
  given: readonly (readonly [value: string | undefined | (() => string | undefined), source: string])[],
): Said | null {
  for (const [value, source] of given) {
    const said = typeof value === "function" ? value() : value;
    if (said || (said === "" && source.startsWith("--"))) return { value: said, source };
  }
  return null;
}

export function checkProfileName(name: string): void {
  if (/^[\w.-]{1,64}$/.test(name) && name !== "__proto__") return;
  throw usageError("A profile's name has letters, digits, dots, dashes and underscores.");
}

function isNearEnd({ issuedAt, expiresAt }: Credential, nowMs: number): boolean {
  const [from, until] = [Date.parse(issuedAt), Date.parse(expiresAt)];
  return !(until - nowMs >= (until - from) * REFRESH_SHARE);
}

export function normalizeUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") {
    throw usageError(`"${text}" is not the address of a server.`, "Write it as https://gateway.example.com.");
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}
