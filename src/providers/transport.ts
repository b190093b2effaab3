import { GatewayError } from "../contract/errors.ts";
import type { UpstreamRequest } from "./dialect.ts";

/** The one door out: everything that leaves for a provider goes through `send`. */
export interface Transport {
  send(request: UpstreamRequest, signal: AbortSignal): Promise<Response>;
}

export type LocalUpstream = (request: Request) => Promise<Response>;

/** `locals` are upstreams inside this process, by the scheme of their address. */
export function createTransport(locals: Readonly<Record<string, LocalUpstream>>): Transport {
  return {
    async send(request, signal) {
      const { url, headers, body } = request;
      const scheme = url.slice(0, url.indexOf(":"));
      const init = { method: "POST", headers, body, signal };
      const local = Object.hasOwn(locals, scheme) ? locals[scheme] : undefined;
      // A Request wants an http address; only the path and the body matter to an upstream of our own.
      if (local) return local(new Request(url.replace(`${scheme}:`, "http:"), init));
      try {
        return await fetch(url, { ...init, redirect: "manual" });
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        throw new GatewayError("connection", "The provider cannot be reached.", { cause });
      }
    },
  };
}
