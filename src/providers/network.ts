import { lookup } from "node:dns/promises";
import { isIP, connect as openSocket } from "node:net";
import { connect as openTls } from "node:tls";
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

/** The proxy that a WebSocket goes by, which the runtime reads for `fetch` alone; null where it goes straight. */
export function proxyFor(url: string): string | null {
  const { protocol, hostname } = new URL(url);
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY, no_proxy, NO_PROXY } = process.env;
  const proxy = protocol === "wss:" ? https_proxy || HTTPS_PROXY : http_proxy || HTTP_PROXY;
  if (!proxy) return null;
  const isExempt = (name: string): boolean =>
    name === "*" || hostname === name || hostname.endsWith(`.${name.replace(/^\*?\./, "")}`);
  const exempt = (no_proxy || NO_PROXY || "").split(",").map((name) => name.trim());
  return exempt.some((name) => name !== "" && isExempt(name)) ? null : proxy;
}

/** Of TLS the handshake belongs to it. One that fails is answered, though not well: the call itself tells what is wrong. */
export const connectOnce: Connect = ({ host, port, isTls }, signal) =>
  new Promise((resolve, reject) => {
    let isOpen = false;
    // Whom the certificate is of is looked at by the call. A number is no name to ask for.
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = isTls ? openTls({ host, port, rejectUnauthorized: false, ...name }) : openSocket({ host, port });
    const end = (finish: () => void): void => {
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      finish();
    };
    const onAbort = (): void => end(() => reject(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("connect", () => {
      isOpen = true;
      if (!isTls) end(resolve);
    });
    socket.once("secureConnect", () => end(resolve));
    socket.on("error", (error) => end(() => (isOpen ? resolve() : reject(error))));
    socket.once("close", () => end(resolve));
  });
