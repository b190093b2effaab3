import { COMMAND } from "../lib/command-name.ts";
import { sleep } from "../lib/sleep.ts";
import { CliError, EXIT } from "./cli-error.ts";
import type { Context } from "./context.ts";

interface Started {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete: string;
  readonly expiresIn: number;
  readonly interval: number;
}

interface Issued {
  readonly token: string;
  readonly expiresAt: string;
}

const SLOWER_SECONDS = 5;

/** Shows a code and asks the server until a person has approved it in a browser, on this machine or another. */
export async function deviceLogin(
  { api, output }: Pick<Context, "api" | "output">,
  isOpened: boolean,
): Promise<Issued> {
  const started = await api.call<Started>("/api/auth/device/code", { method: "POST", body: {}, bearer: null });
  const { deviceCode, userCode, verificationUri, verificationUriComplete } = started;
  output.tell(`Open ${verificationUriComplete}`);
  output.tell(`or, on another machine, ${verificationUri} and enter the code ${userCode}`);
  if (isOpened) openInBrowser(verificationUriComplete);
  let seconds = started.interval;
  for (;;) {
    const outcome = await api
      .call<Issued>("/api/auth/device/token", { method: "POST", body: { deviceCode }, bearer: null })
      .catch(waitingOf);
    if (typeof outcome === "object") return outcome;
    if (outcome === "slow_down") seconds += SLOWER_SECONDS;
    await sleep(seconds * 1000);
  }
}

/** The refusals that only mean that nobody has approved yet. */
function waitingOf(thrown: unknown): string {
  if (!(thrown instanceof CliError)) throw thrown;
  if (thrown.message === "authorization_pending" || thrown.message === "slow_down") return thrown.message;
  const end = ENDS[thrown.message];
  if (end === undefined) throw thrown;
  throw new CliError(EXIT.notSignedIn, "UNAUTHORIZED", end, { hint: `Run \`${COMMAND} login --device\` again.` });
}

const ENDS: Readonly<Record<string, string>> = {
  access_denied: "The log-in was refused.",
  expired_token: "Nobody approved the log-in in time.",
  invalid_grant: "The log-in is not valid any more.",
};

const OPENERS: Readonly<Record<string, string>> = { darwin: "open", win32: "explorer" };

/** Without a browser nothing happens: the address has been shown. */
function openInBrowser(address: string): void {
  try {
    const command = [OPENERS[process.platform] ?? "xdg-open", address];
    Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref();
  } catch {}
}
