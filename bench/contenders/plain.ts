import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Subprocess } from "bun";
import { freePort } from "../free-port.ts";
import type { Contender } from "./contender.ts";
import { askOnce, startTimed } from "./start-timed.ts";

const START_TRIES = 1_000;
const NO_HEADERS = () => ({ authorization: "Bearer sk-upstream" });
const BENCH = () => "bench";
const CHAT = "/v1/chat/completions";

/** Without anything between: what a client and the upstream cost by themselves. */
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

/** A file of the benchmark's own that is run with the upstream's address and prints its own. */
const relay = (name: string, about: string, takes: Contender["serves"] = () => true): Contender => ({
  name,
  about,
  serves: (workload) => workload.dialect === "openai" && workload.keys === undefined && takes(workload),
  async start(upstream, times) {
    const file = fileURLToPath(new URL(`../${name}.ts`, import.meta.url));
    const { begun, starts } = await startTimed(
      times,
      async () => {
        const child = Bun.spawn([process.execPath, file, upstream], {
          stdout: "pipe",
          env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" },
        });
        const { value } = await child.stdout.getReader().read();
        const port = Number(new URL(new TextDecoder().decode(value).trim()).port);
        return { pid: child.pid, port, stop: () => ended(child) };
      },
      (port) => askOnce(port, NO_HEADERS(), "bench"),
    );
    return { ...begun, starts, pingPath: "/", headers: NO_HEADERS, model: BENCH };
  },
});

export const floor = relay("floor", "a bare relay on the same runtime: read, parse, send, relay");
export const least = relay(
  "least",
  "the same with what each call must leave behind (journal, a row in SQLite, headers), and without anything that decides",
  ({ path, mix }) => path === CHAT && mix === undefined,
);

export const nginx: Contender = {
  name: "nginx",
  about: "proxy_pass with kept connections: the physical neighbourhood",
  serves: ({ dialect, keys }) => dialect === "openai" && keys === undefined,
  async start(upstream, times) {
    const binary = ["/usr/sbin/nginx", "/usr/bin/nginx"].find((path) => existsSync(path));
    if (!binary) return { absent: "nginx is not installed" };
    const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-nginx-"));
    const port = await freePort();
    writeFileSync(join(folder, "nginx.conf"), configuration(folder, port, new URL(upstream).host));
    const { begun, starts } = await startTimed(
      times,
      async () => {
        const command = [binary, "-p", folder, "-c", join(folder, "nginx.conf"), "-g", "daemon off;"];
        const child = Bun.spawn(command, { stderr: "ignore" });
        return { pid: child.pid, port, stop: () => ended(child) };
      },
      () => askOnce(port, NO_HEADERS(), "bench", START_TRIES),
    );
    return {
      ...begun,
      starts,
      headers: NO_HEADERS,
      model: BENCH,
      async stop() {
        await begun.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

const configuration = (folder: string, port: number, upstream: string) => `
worker_processes 1;
pid ${folder}/nginx.pid;
error_log /dev/null;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  client_max_body_size 64m; client_body_buffer_size 1m; proxy_buffering off; keepalive_requests 1000000000;
  upstream up { server ${upstream}; keepalive 1024; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_read_timeout 120s; }
  }
}`;

async function ended(child: Subprocess): Promise<void> {
  child.kill();
  await child.exited;
}
