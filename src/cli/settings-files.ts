import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { CliError, EXIT } from "./cli-error.ts";

/** What is kept of a profile that everybody may see. */
export interface Profile {
  readonly url?: string;
  readonly email?: string;
  readonly organizationId?: string;
}

/** A token, and the server that it was issued by: it is sent to no other. */
export interface Credential {
  readonly url: string;
  readonly token: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
}

interface Config {
  readonly profile: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const CONFIG = "config.json";
const CREDENTIALS = "credentials.json";

type Environment = Readonly<Record<string, string | undefined>>;

/** The two files of the client: settings, and credentials that only their owner may read. Both are keyed by profile. */
export class SettingsFiles {
  readonly folder: string;

  constructor(env: Environment) {
    const base = env.XDG_CONFIG_HOME?.startsWith("/") ? env.XDG_CONFIG_HOME : join(env.HOME || homedir(), ".config");
    this.folder = join(base, "turnpike");
  }

  get path(): string {
    return join(this.folder, CONFIG);
  }

  get credentialsPath(): string {
    return join(this.folder, CREDENTIALS);
  }

  profile(name: string): Profile {
    return ownOf(this.read<Config>(CONFIG).profiles ?? {}, name) ?? {};
  }

  profileNames(): readonly string[] {
    return Object.keys(this.read<Config>(CONFIG).profiles ?? {});
  }

  saveProfile(name: string, profile: Profile): void {
    const config = this.read<Config>(CONFIG);
    this.write(CONFIG, { ...config, profiles: { ...config.profiles, [name]: profile } });
  }

  /** The profile that is used where none is named. */
  defaultProfile(): string | undefined {
    const { profile } = this.read<Config>(CONFIG);
    return typeof profile === "string" ? profile : undefined;
  }

  saveDefaultProfile(name: string | undefined): void {
    this.write(CONFIG, { ...this.read<Config>(CONFIG), profile: name });
  }

  credential(name: string): Credential | null {
    return ownOf(this.read<Record<string, Credential>>(CREDENTIALS), name) ?? null;
  }

  saveCredential(name: string, credential: Credential | null): void {
    const { [name]: _, ...others } = this.read<Record<string, Credential>>(CREDENTIALS);
    this.write(CREDENTIALS, credential === null ? others : { ...others, [name]: credential });
  }

  private read<T extends object>(file: string): Partial<T> {
    const path = join(this.folder, file);
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return {};
      throw new CliError(EXIT.error, "CONFIG_ERROR", `${path} cannot be read.`, { hint: "Check who owns it." });
    }
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Partial<T>;
    } catch {}
    throw new CliError(EXIT.error, "CONFIG_ERROR", `${path} is not a JSON object.`, { hint: "Mend or remove it." });
  }

  /** Written beside and moved over: another process reads the old file or the new one, never half of it. */
  private write(file: string, value: object): void {
    const path = join(this.folder, file);
    const beside = `${path}.${process.pid}`;
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileSync(beside, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
      chmodSync(beside, 0o600);
      renameSync(beside, path);
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      throw new CliError(EXIT.error, "CONFIG_ERROR", `${path} cannot be written: ${reason}.`);
    }
  }
}

/** A profile may have any name, also one that every object has. */
const ownOf = <T>(table: Readonly<Record<string, T | undefined>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
