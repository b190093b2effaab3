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
