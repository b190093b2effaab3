import { statSync } from "node:fs";
import { PROGRAM_VERSION } from "../contract/version.ts";
import { COMMAND } from "../lib/command-name.ts";
import { CliError, EXIT, type ExitCode, notSignedIn } from "./cli-error.ts";
import type { Context } from "./context.ts";
import { isHere, isPlainAbroad } from "./plain-http.ts";
import { findProxy } from "./proxy.ts";
import { askReadiness, codeOf, type Readiness, tlsHint } from "./readiness.ts";

export interface Check {
  readonly id: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do about it. */
  readonly hint: string | null;
  /** What the command ends with when this fails first. */
  readonly exit: ExitCode;
}

type Checked = Omit<Check, "id">;

const ok = (detail: string): Checked => ({ status: "ok", detail, hint: null, exit: EXIT.ok });
const warn = (detail: string, hint: string): Checked => ({ status: "warn", detail, hint, exit: EXIT.ok });
const fail = ({ exit, message, hint }: CliError): Checked => ({ status: "fail", detail: message, hint, exit });

/** From what is here to what is far: where the server cannot be reached, nothing is asked of it. */
export async function* checkAll(context: Context): AsyncGenerator<Check> {
  yield { id: "settings", ...(await asCheck(async () => checkSettings(context))) };
  yield { id: "address", ...checkAddress(context) };
  yield { id: "proxy", ...checkProxy(context) };
  const asked = await askReadiness(context.session.url);
  yield { id: "server", ...checkServer(context, asked) };
  if (asked.status === null) return;
  yield { id: "ready", ...checkReady(asked) };
  yield { id: "clock", ...checkClock(asked) };
  const versions: (string | null)[] = [];
  yield { id: "sign-in", ...(await asCheck(() => checkSignIn(context, versions))) };
  yield { id: "key", ...(await asCheck(() => checkKey(context, versions))) };
  yield { id: "version", ...checkVersion(versions.find((version) => version !== null) ?? null) };
}

/** What breaks while something is looked at is what is found. */
async function asCheck(check: () => Promise<Checked>): Promise<Checked> {
  try {
    return await check();
  } catch (thrown) {
    if (thrown instanceof CliError && thrown.exit !== EXIT.interrupted) return fail(thrown);
    throw thrown;
  }
}

function checkSettings({ session }: Context): Checked {
  const { files, profileName } = session;
  files.profile(profileName);
  files.credential(profileName);
  const mode = statSync(files.credentialsPath, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) !== 0) {
    return warn(`Others on this machine may read ${files.credentialsPath}.`, `chmod 600 ${files.credentialsPath}`);
  }
  return ok(`Profile ${profileName}, kept in ${files.folder}.`);
}

function checkAddress({ session: { url, urlSource } }: Context): Checked {
  const said = urlSource === "config" ? "the profile" : urlSource === "default" ? "nothing else being said" : urlSource;
  if (!isPlainAbroad(url)) return ok(`${url}, by ${said}.`);
  return warn(`${url}, by ${said}: over http all of it can be read on its way.`, "Use https where the server has it.");
}

function checkProxy({ session: { url }, env }: Context): Checked {
  const proxy = findProxy(url, env);
  if (proxy === null) return ok("None is used.");
  const { host } = new URL(url);
  const detail = `Calls go by ${proxy.address}, by ${proxy.variable}.`;
  return isHere(url)
    ? warn(detail, `The server is on this machine; go there directly with NO_PROXY=${host}`)
    : ok(detail);
}

function checkServer({ session: { url }, env }: Context, { status, thrown, location }: Readiness): Checked {
  if (status !== null) return ok(`A Turnpike server answers at ${url}.`);
  if (location !== null) {
    const message = `${url} sends callers on to ${location}.`;
    return fail(new CliError(EXIT.error, "REDIRECTED", message, { hint: "Give that address with --url." }));
  }
  if (thrown === null) {
    const hint = "Check the address: --url or TURNPIKE_URL.";
    return fail(new CliError(EXIT.error, "NOT_TURNPIKE", `What answers at ${url} is not a Turnpike server.`, { hint }));
  }
  const proxy = findProxy(url, env);
  const elsewhere = proxy === null ? "is the address right?" : `are the address and ${proxy.variable} right?`;
  const hint = tlsHint(thrown) ?? `Is the server running, and ${elsewhere} Set it with --url or TURNPIKE_URL.`;
  const message = `${url} cannot be reached (${codeOf(thrown)}).`;
  return fail(new CliError(EXIT.network, "NETWORK_ERROR", message, { hint }));
}

function checkReady({ status, reason }: Readiness): Checked {
  if (status === "healthy") return ok("It takes calls.");
  const hint = status === "unavailable" ? "Try again in a moment." : "This is for whoever runs the server to mend.";
  return fail(new CliError(EXIT.error, "NOT_READY", `It takes no calls: ${reason}`, { hint }));
}

/** As much as tokens and codes of a second factor forgive. */
const SKEW_SECONDS_MAX = 30;

function checkClock({ skewSeconds }: Readiness): Checked {
  if (skewSeconds === null) return ok("The server tells no time.");
  const off = Math.abs(skewSeconds);
  if (off <= SKEW_SECONDS_MAX) return ok("It agrees with the server's.");
  const way = skewSeconds > 0 ? "ahead of" : "behind";
  const hint = "Set the clock: sessions seem to end at the wrong time, and codes of a second factor are refused.";
  return warn(`This machine is ${off} seconds ${way} the server.`, hint);
}

async function checkSignIn({ api, session }: Context, versions: (string | null)[]): Promise<Checked> {
  const login = `\`${COMMAND} login\` signs you in; calls of models need only a key.`;
  if (!session.isFromEnvironment && !session.isKept) return warn(notSignedIn().message, login);
  const bearer = await api.token();
  const isKey = session.isFromEnvironment && bearer.startsWith("sk-");
  const asked = api.fetch(isKey ? "/api/admin/users?pageSize=1" : "/api/auth/me", { bearer });
  const response = await asked.catch((thrown) => {
    // Its scopes may leave out who it speaks for.
    if (bearer.startsWith("mk-") && thrown instanceof CliError && thrown.exit === EXIT.forbidden) return null;
    throw thrown;
  });
  if (response === null) return ok("TURNPIKE_TOKEN is a management token.");
  versions.push(response.headers.get("x-gw-version"));
  if (isKey) return ok("TURNPIKE_TOKEN is a key that administers.");
  const { user } = (await response.json()) as { user: { email: string; role: string } };
  return ok(`You are ${user.email} (${user.role})${session.isFromEnvironment ? ", by TURNPIKE_TOKEN" : ""}.`);
}

async function checkKey({ api, env }: Context, versions: (string | null)[]): Promise<Checked> {
  const key = env.TURNPIKE_KEY;
  const make = `\`${COMMAND} keys create NAME\` makes one; \`chat\`, \`images\` and \`batches\` call with it.`;
  if (!key) return warn("TURNPIKE_KEY is not set.", make);
  const response = await api.fetch("/v1/models", { bearer: key });
  versions.push(response.headers.get("x-gw-version"));
  const { data } = (await response.json()) as { data: readonly unknown[] };
  if (data.length === 0)
    return warn("The key in TURNPIKE_KEY may call no model.", `Look at \`${COMMAND} keys show KEY\`.`);
  return ok(`The key in TURNPIKE_KEY may call ${data.length === 1 ? "one model" : `${data.length} models`}.`);
}

function checkVersion(server: string | null): Checked {
  if (server === null)
    return ok(`This is ${PROGRAM_VERSION}; the server tells its own to who is signed in or has a key.`);
  if (server === PROGRAM_VERSION) return ok(`Both are ${server}.`);
  return warn(`This is ${PROGRAM_VERSION}, and the server is ${server}.`, "Use the same here if something is refused.");
}
