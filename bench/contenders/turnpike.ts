import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { handleOf, newKey } from "../../src/accounts/key-format.ts";
import { KeyVerifier } from "../../src/accounts/key-verifier.ts";
import { deriveSecrets } from "../../src/accounts/secrets.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { runtimeEnv } from "../../test/e2e/image-program.ts";
import { newFolder, startTurnpike, type Turnpike } from "../../test/e2e/process.ts";
import { newOrganization } from "../new-organization.ts";
import { removeAtExit } from "../processes.ts";
import type { Workload } from "../workloads.ts";
import type { Contender, Running } from "./contender.ts";
import { callOnce, startTimed } from "./start-timed.ts";

const MASTER = "sk-master-key-of-the-benchmark-0123";
const SECRET = "a-secret-of-the-benchmark-0123456789abcdef";
const KEYS = 10_000;
const BUSY_TIMEOUT_MS = 60_000;
/** Limits so high that no call is rejected: the benchmark measures the counting. */
const PLENTY = 1_000_000_000;

interface Setting {
  readonly name: string;
  readonly about: string;
  readonly deployments: number;
  readonly priced: boolean;
  readonly limited: boolean;
  /** Budgets of key and team. They are part of accounting, not of the limits. */
  readonly budgeted?: boolean;
  readonly settings?: string;
  readonly args?: readonly string[];
  /** For the runtime, such as `--cpu-prof`. */
  readonly bunArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Turnpike as a separate process over SQLite, set up through its API like by an operator. */
export const turnpike = (setting: Setting): Contender => ({
  name: setting.name,
  about: setting.about,
  serves: ({ keys }) => keys === undefined || setting.limited,
  async start(upstream, times) {
    const folder = newFolder();
    removeAtExit(folder.path);
    writeFileSync(join(folder.path, "turnpike.yaml"), configuration(upstream, setting));
    const env = {
      TURNPIKE_MASTER_KEY: MASTER,
      TURNPIKE_SECRET: SECRET,
      TURNPIKE_DEMO: "false",
      ...(await runtimeEnv()),
      ...setting.env,
    };
    const command: [string[], string[]] = [[...(setting.args ?? [])], [...(setting.bunArgs ?? [])]];
    const gateway = await startTurnpike(folder.path, env, ...command);
    const { key, keys } = await newKeys(gateway, folder.path, setting);
    // The first start in a folder creates the database, so it is not timed.
    gateway.kill("SIGTERM");
    await gateway.exited;
    const { started, starts } = await startTimed(
      times,
      async () => {
        const { url, pid, kill, exited } = await startTurnpike(folder.path, env, ...command);
        const stop = async () => {
          kill("SIGTERM");
          await exited;
        };
        return { pid, port: Number(new URL(url).port), stop };
      },
      (port) => callOnce(port, { "x-gw-api-key": key }, "bench"),
    );
    return {
      ...started,
      headers: () => ({ "x-gw-api-key": key }),
      model: (dialect) => modelOf(dialect),
      keys,
      starts,
      pingPath: "/health/liveliness",
      async stop() {
        await started.stop();
        folder.remove();
      },
    } satisfies Running;
  },
});

export const FULL: Setting = {
  name: "turnpike",
  about:
    "key, model access, limits of key, team and organization (calls, tokens, parallel), budgets, credit lease, two deployments, " +
    "retries, journal, settlement into SQLite, metrics",
  deployments: 2,
  priced: true,
  limited: true,
  budgeted: true,
};
/** The difference of PLAIN and EVERYTHING is routing, limits, the cache and guardrails. */
export const PLAIN: Setting = {
  name: "turnpike-plain",
  about: "accounting as in `turnpike`; one deployment, no retries, limits, cache or guardrails",
  deployments: 1,
  priced: true,
  limited: false,
  settings: "router_settings: { num_retries: 0 }\n",
};
export const ROUTED: Setting = {
  name: "turnpike-routed",
  about:
    "as `turnpike-plain`, with four deployments by peak latency, retries, and limits of key, team and organization",
  deployments: 4,
  priced: true,
  limited: true,
  settings: "router_settings: { routing_strategy: peak-latency, num_retries: 2 }\n",
};
export const EVERYTHING: Setting = {
  ...ROUTED,
  name: "turnpike-guarded",
  about: "as `turnpike-routed`, with the cache and a guardrail that checks each prompt for secrets",
  settings: `${ROUTED.settings}gateway_settings: { cache: true }
guardrails: [{ guardrail_name: secrets, litellm_params: { guardrail: secrets, mode: pre_call, default_on: true } }]
`,
};
export const WORKERS: Setting = {
  ...FULL,
  name: "turnpike-workers",
  about: "as `turnpike`, with one process for each core on one port (`--workers auto`)",
  args: ["--workers", "auto"],
};
export const BARE: Setting = {
  name: "turnpike-bare",
  about: "key and model access; one deployment without a price, no limits, no budgets; journal and metrics as always",
  deployments: 1,
  priced: false,
  limited: false,
};

const modelOf = (dialect: Workload["dialect"]): string => (dialect === "openai" ? "bench" : `bench-${dialect}`);

/** An organization with credit, a team and a key, each with limits and a budget where the setting has them. */
async function newKeys(
  gateway: Turnpike,
  folder: string,
  { limited, budgeted }: Setting,
): Promise<{ key: string; keys: string[] }> {
  const { ask, token, teamId, organizationId } = await newOrganization(gateway.url, MASTER, "100000");
  const limits = limited
    ? {
        rpmLimit: PLENTY,
        tpmLimit: PLENTY,
        parallelLimit: 100_000,
        ...(budgeted ? { budget: 9e15, budgetWindow: "day" as const } : {}),
      }
    : {};
  if (limited) {
    await ask(`/api/gw/teams/${teamId}`, token, limits, "PATCH");
    await ask(`/api/admin/organizations/${organizationId}`, MASTER, { rpmLimit: PLENTY, tpmLimit: PLENTY }, "PATCH");
  }
  const { token: key } = await ask<{ token: string }>("/api/gw/api-keys", token, {
    name: "bench",
    team_id: teamId,
    ...limits,
  });
  return { key, keys: limited ? moreKeys(folder, key) : [] };
}

/** Writes copies of the key into the database: the API creates one key per request, which takes too long. */
function moreKeys(folder: string, key: string): string[] {
  const database = new Database(join(folder, "data/turnpike.db"));
  // The gateway writes to the same database.
  database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  const verifier = new KeyVerifier(null as never, deriveSecrets(SECRET).keyPepper, MASTER, systemClock);
  const row = database.query("select * from api_keys where hash = ?").get(verifier.hash(key)) as Record<string, string>;
  const names = Object.keys(row);
  const insert = database.query(
    `insert into api_keys (${names.join(", ")}) values (${names.map((name) => `$${name}`).join(", ")})`,
  );
  const keys = Array.from({ length: KEYS }, () => newKey());
  database.transaction(() => {
    for (const [index, each] of keys.entries()) {
      const copy = {
        ...row,
        id: crypto.randomUUID(),
        hash: verifier.hash(each),
        handle: handleOf(each),
        name: `k${index}`,
      };
      insert.run(Object.fromEntries(Object.entries(copy).map(([name, value]) => [`$${name}`, value])));
    }
  })();
  database.close();
  return keys;
}

function configuration(upstream: string, { deployments, priced, settings = "" }: Setting): string {
  const price = priced ? { input_cost_per_token: "0.000001", output_cost_per_token: "0.000003" } : { free: true };
  const entry = (model_name: string, model: string, base: string, number: number) => ({
    model_name,
    litellm_params: { model, api_base: base, api_key: `sk-upstream-${number}` },
    model_info: { id: `${model_name}-${number}`, ...price },
  });
  const model_list = Array.from({ length: deployments }, (_, number) => [
    entry("bench", "openai/bench", `${upstream}/v1`, number),
    entry("bench-anthropic", "anthropic/bench", upstream, number),
    entry("bench-gemini", "gemini/bench", upstream, number),
  ]).flat();
  // The gateway measures its load as always, but it must not reject calls because the machine is busy.
  const general = "general_settings: { log_level: error, max_event_loop_delay: 10 }";
  return `model_list: ${JSON.stringify(model_list)}\n${general}\n${settings}`;
}
