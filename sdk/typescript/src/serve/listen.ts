import type { Settings } from "../settings.ts";
import { listenOnBun } from "./bun.ts";
import type { Handle, Listener } from "./listener.ts";
import { listenOnNode } from "./node.ts";

/** Listens with what the runtime has. */
export async function listen(handle: Handle, settings: Settings): Promise<Listener> {
  try {
    return "Bun" in globalThis ? listenOnBun(handle, settings) : await listenOnNode(handle, settings);
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== "EADDRINUSE") throw thrown;
    const { host, port } = settings;
    const hint = port === 5000 ? " (on macOS AirPlay takes 5000; set PORT)" : "";
    throw new Error(`something else listens on ${host}:${port} already${hint}`, { cause: thrown });
  }
}
