import { COMMAND } from "../lib/command-name.ts";
import { CliError, EXIT } from "./cli-error.ts";
import type { Context } from "./context.ts";

export const ANSWER_TIMEOUT_MS = 10 * 60 * 1000;
export const KEY_FLAG = [
  "--key <key>",
  "the API key to call with (TURNPIKE_KEY, which others on the machine cannot see)",
] as const;
export const KEYLESS_HINT = "Set TURNPIKE_KEY, or give one with --key.";

/** A call of a model, with the key that was given or that of the environment. */
export const callWithKey = (
  { api, env }: Pick<Context, "api" | "env">,
  given: string | undefined,
  path: string,
  body: object,
  keyless: string,
): Promise<Response> =>
  withKey({ env }, given, keyless, (bearer) =>
    api.fetch(path, { method: "POST", timeoutMs: ANSWER_TIMEOUT_MS, body, bearer }),
  );

/** What is done with a key, in place of being signed in. */
export async function withKey<T>(
  { env }: Pick<Context, "env">,
  given: string | undefined,
  keyless: string,
  work: (key: string) => Promise<T>,
): Promise<T> {
  const key = given ?? env.TURNPIKE_KEY;
  if (!key) throw new CliError(EXIT.notSignedIn, "UNAUTHORIZED", "There is no key to call with.", { hint: keyless });
  try {
    return await work(key);
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit !== EXIT.notSignedIn) throw thrown;
    const { exit, code, message, requestId } = thrown;
    const hint = `Check the key; make one with \`${COMMAND} keys create\`.`;
    throw new CliError(exit, code, message, { requestId, hint });
  }
}
