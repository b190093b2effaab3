import { fileURLToPath } from "node:url";
import { stopTree } from "../processes.ts";
import type { Contender } from "./contender.ts";
import { callOnce, startTimed } from "./start-timed.ts";

const NO_HEADERS = () => ({ authorization: "Bearer sk-upstream" });
const BENCH = () => "bench";
const CHAT = "/v1/chat/completions";

/** The client and the upstream without a gateway. */
export const direct: Contender = {
  name: "direct",
  about: "no gateway",
  serves: ({ dialect, keys }) => dialect === "openai" && keys === undefined,
  async start(upstream) {
    return {
      port: Number(new URL(upstream).port),
      pid: null,
      headers: NO_HEADERS,
      model: BENCH,
      stop: async () => undefined,
    };
  },
};

/** A file of the benchmark that gets the address of the upstream and prints its own. */
const relay = (name: string, about: string, serves: Contender["serves"] = () => true): Contender => ({
  name,
  about,
  serves: (workload) => workload.dialect === "openai" && workload.keys === undefined && serves(workload),
  async start(upstream, times) {
    const file = fileURLToPath(new URL(`../${name}.ts`, import.meta.url));
    const { started, starts } = await startTimed(
      times,
      async () => {
        const child = Bun.spawn([process.execPath, file, upstream], {
          stdout: "pipe",
          env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" },
        });
        const { value } = await child.stdout.getReader().read();
        const port = Number(new URL(new TextDecoder().decode(value).trim()).port);
        return { pid: child.pid, port, stop: () => stopTree(child.pid) };
      },
      (port) => callOnce(port, NO_HEADERS(), "bench"),
    );
    return { ...started, starts, pingPath: "/", headers: NO_HEADERS, model: BENCH };
  },
});

export const floor = relay("floor", "a bare relay on the same runtime: read, parse, send, relay");
export const least = relay(
  "least",
  "as `floor`, with a key, two journal lines, a row in SQLite and the same headers for each call; it decides nothing",
  ({ path, mix }) => path === CHAT && mix === undefined,
);
