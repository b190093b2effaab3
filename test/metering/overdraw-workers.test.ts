import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, startTurnpike, type Turnpike } from "../e2e/process.ts";
import { isNightly } from "../property-runs.ts";
import { postgresMissing, startPostgres } from "../services/postgres.ts";
import { CALLS, CONFIG, ROUNDING, SHAPES } from "./overdraw-shapes.ts";

const SLOW_MS = 180_000;
const shapes = isNightly ? SHAPES : SHAPES.filter(({ name }) => name === "functions" || name === "long responses");
const server = await startPostgres();
afterAll(() => server?.stop());

async function api<T>(turnpike: Turnpike, path: string, token: string, body?: object): Promise<T> {
  const response = await fetch(`${turnpike.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** A person whose organization has the credit of a sign-up, and a key. */
async function signUp(turnpike: Turnpike) {
  const credentials = { email: `${crypto.randomUUID()}@example.com`, password: "a good long one" };
  const { token } = await api<{ token: string }>(turnpike, "/api/auth/signup", "", credentials);
  const { data } = await api<{ data: { id: string }[] }>(turnpike, "/api/gw/teams", token);
  const { key } = await api<{ key: string }>(turnpike, "/api/gw/api-keys", token, { name: "k", teamId: data[0]?.id });
  return { token, key };
}

describe.each(["sqlite", "postgres"])("concurrent calls to four workers, on %s", (kind) => {
  const isMissing = kind === "postgres" && postgresMissing !== null;
  test.skipIf(isMissing)(
    "never overdraw the credit",
    async () => {
      const folder = newFolder();
      const general_settings = { ...CONFIG.general_settings, log_level: "info" };
      writeFileSync(join(folder.path, "turnpike.yaml"), JSON.stringify({ ...CONFIG, general_settings }));
      const database = kind === "postgres" ? { TURNPIKE_DATABASE_URL: (await server?.createDatabase()) ?? "" } : {};
      const turnpike = await startTurnpike(folder.path, { TURNPIKE_WORKERS: "4", ...database });
      try {
        await turnpike.waitFor(/all workers serve/);
        for (const { name, tokens, paidCalls, fields } of shapes) {
          const { token, key } = await signUp(turnpike);
          const json = { model: "priced", max_tokens: 1, user: tokens.join(" "), ...fields };
          const headers = { "x-gw-api-key": key, "content-type": "application/json" };
          const init = { method: "POST", headers, body: JSON.stringify(json) };
          const call = async () => (await fetch(`${turnpike.url}/v1/chat/completions`, init)).status;
          const statuses = await Promise.all(Array.from({ length: CALLS }, call));
          const answered = statuses.filter((status) => status === 200).length;
          expect({ name, isPaid: answered > 0 && answered <= paidCalls }).toEqual({ name, isPaid: paidCalls > 0 });
          const { balance } = await api<{ balance: number }>(turnpike, "/api/balance", token);
          expect(balance).toBeGreaterThanOrEqual(-ROUNDING);
        }
      } finally {
        turnpike.kill("SIGTERM");
        await turnpike.exited;
        folder.remove();
      }
    },
    SLOW_MS,
  );
});
