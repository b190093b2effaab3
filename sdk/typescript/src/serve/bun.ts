import type { Settings } from "../settings.ts";
import { addressOf, type Handle, type Listener } from "./listener.ts";

interface BunServer {
  readonly port: number;
  timeout(request: Request, seconds: number): void;
  stop(abrupt: boolean): Promise<void>;
}

interface BunRuntime {
  serve(options: {
    hostname: string;
    port: number;
    idleTimeout: number;
    maxRequestBodySize: number;
    fetch(request: Request, server: BunServer): Promise<Response>;
  }): BunServer;
}

/** Bun refuses bodies over 128 MiB and cuts silent connections unless it is told not to. */
export function listenOnBun(handle: Handle, { host, port }: Settings): Listener {
  const { Bun: bun } = globalThis as unknown as { Bun: BunRuntime };
  const server = bun.serve({
    hostname: host,
    port,
    idleTimeout: 255,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch(request, own) {
      own.timeout(request, 0);
      return handle(request);
    },
  });
  return { url: addressOf(host, server.port), stop: () => server.stop(true) };
}
