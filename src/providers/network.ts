import { lookup } from "node:dns/promises";
import { connect as openSocket } from "node:net";
import type { Resolve } from "./address-guard.ts";
import type { Connect } from "./reachability.ts";

/** The real network behind the interfaces that tests replace. */
export const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** Whether calls of this kind go by a proxy, as the runtime's `fetch` reads it. Which hosts are exempt is left to it. */
export function isProxied(protocol: string): boolean {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY } = process.env;
  return Boolean(protocol === "https:" ? https_proxy || HTTPS_PROXY : http_proxy || HTTP_PROXY);
}

export const connectOnce: Connect = (host, port, signal) =>
  new Promise((resolve, reject) => {
    const socket = openSocket({ host, port });
    const end = (finish: () => void): void => {
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      finish();
    };
    const onAbort = (): void => end(() => reject(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("connect", () => end(resolve));
    socket.once("error", (error) => end(() => reject(error)));
  });
