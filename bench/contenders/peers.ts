import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { freePort } from "../free-port.ts";
import type { Contender, Running } from "./contender.ts";
import { askOnce, startTimed } from "./start-timed.ts";

/** Where peers are installed: a scratch folder that outlives one run, since one of them takes minutes. */
const SCRATCH = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "turnpike-bench");
/** One of them takes half a minute to start. */
const START_TRIES = 10_000;
const STARTS_MAX = 2;

const PORTKEY = {
  name: "bench-portkey",
  private: true,
  dependencies: { "@portkey-ai/gateway": "1.15.2" },
  // With newer ones every stream of it is a 500.
  overrides: { "@hono/node-server": "1.13.5", hono: "4.9.7" },
};

export const portkey: Contender = {
  name: "portkey",
  about: "@portkey-ai/gateway 1.15.2, as it comes: no keys, limits, budgets or usage log",
  serves: ({ dialect, keys }) => dialect === "openai" && keys === undefined,
  async start(upstream, times) {
    const folder = join(SCRATCH, "portkey");
    const entry = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
    if (!existsSync(entry)) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "package.json"), JSON.stringify(PORTKEY));
      const failed = await run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], folder);
      if (failed !== null || !existsSync(entry))
        return { absent: `it could not be installed from npm: ${failed ?? "no build"}` };
    }
    const port = await freePort();
    return serve(
      { command: ["node", entry, "--headless", `--port=${port}`], port, folder, env: {}, times },
      {
        model: () => "bench",
        pingPath: "/",
        headers: () => ({
          authorization: "Bearer sk-upstream",
          "x-portkey-provider": "openai",
          "x-portkey-custom-host": `${upstream}/v1`,
        }),
      },
    );
  },
};

const LITELLM_KEY = "sk-litellm-master";

export const litellm: Contender = {
  name: "litellm",
  about: "litellm[proxy], one worker, master key; no database, so no keys, budgets or spend log",
  serves: ({ keys }) => keys === undefined,
  async start(upstream, times) {
    const folder = join(SCRATCH, "litellm");
    const binary = join(folder, "bin/litellm");
    if (!existsSync(binary)) {
      mkdirSync(folder, { recursive: true });
      const failed =
        (await run(["python3", "-m", "venv", folder], SCRATCH)) ??
        (await run([join(folder, "bin/pip"), "install", "--quiet", "litellm[proxy]"], folder));
      if (failed !== null || !existsSync(binary))
        return { absent: `it could not be installed from PyPI: ${failed ?? "no program"}` };
    }
    const port = await freePort();
    const entry = (name: string, model: string, base: string) => ({
      model_name: name,
      litellm_params: { model, api_base: base, api_key: "sk-upstream" },
    });
    const configuration = {
      model_list: [
        entry("bench", "openai/bench", `${upstream}/v1`),
        entry("bench-anthropic", "anthropic/bench", upstream),
        entry("bench-gemini", "gemini/bench", `${upstream}/v1beta/models/bench`),
      ],
      general_settings: { master_key: LITELLM_KEY },
    };
    const file = join(folder, "config.yaml");
    writeFileSync(file, JSON.stringify(configuration));
    const command = [binary, "--config", file, "--port", String(port), "--host", "127.0.0.1", "--num_workers", "1"];
    const env = { LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_TELEMETRY: "False" };
    return serve(
      { command, port, folder, env, times },
      {
        model: (dialect) => (dialect === "openai" ? "bench" : `bench-${dialect}`),
        headers: () => ({ authorization: `Bearer ${LITELLM_KEY}` }),
        pingPath: "/health/liveliness",
      },
    );
  },
};

/** Any other gateway that is running: `NAME=URL`, with a model, headers and a process as options of the run. */
export const named = (
  name: string,
  address: string,
  { model, headers, pid }: { model: string; headers: Readonly<Record<string, string>>; pid: number | null },
): Contender => ({
  name,
  about: `running at ${address}`,
  serves: ({ dialect, keys }) => dialect === "openai" && keys === undefined,
  async start() {
    const url = new URL(address);
    if (url.hostname !== "127.0.0.1" && url.hostname !== "localhost") {
      return { absent: "only gateways on this machine are measured: elsewhere the network would be" };
    }
    return {
      port: Number(url.port || 80),
      pid,
      headers: () => headers,
      model: () => model,
      stop: async () => undefined,
    };
  },
});

interface Program {
  readonly command: readonly string[];
  readonly port: number;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly times: number;
}

async function serve(
  { command, port, folder, env, times }: Program,
  how: Pick<Running, "headers" | "model" | "pingPath">,
): Promise<Running | { readonly absent: string }> {
  const alive = new Set<Subprocess>();
  const begin = async () => {
    const child = Bun.spawn([...command], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdout: "ignore",
      stderr: "ignore",
    });
    alive.add(child);
    const stop = async () => {
      child.kill();
      await child.exited;
      alive.delete(child);
    };
    return { pid: child.pid, port, stop };
  };
  try {
    const ask = () => askOnce(port, how.headers("openai"), how.model("openai"), START_TRIES);
    const { begun, starts } = await startTimed(Math.min(times, STARTS_MAX), begin, ask);
    return { ...how, ...begun, starts };
  } catch (thrown) {
    for (const child of alive) child.kill();
    return { absent: `it was installed and did not answer: ${thrown instanceof Error ? thrown.message : "no reason"}` };
  }
}

/** Null where it went well, else the last line of what was said. */
async function run(command: readonly string[], folder: string): Promise<string | null> {
  try {
    const child = Bun.spawn([...command], { cwd: folder, stdout: "ignore", stderr: "pipe" });
    const said = await new Response(child.stderr).text();
    return (await child.exited) === 0 ? null : (said.trim().split("\n").at(-1) ?? "it failed");
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "it failed";
  }
}
