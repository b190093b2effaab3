import { isIP } from "node:net";
import { GatewayError } from "../contract/errors.ts";
import { isPublicAddress } from "../lib/net/public-address.ts";
import { connectOnce, isProxied, resolveHost } from "../providers/network.ts";
import { Reachability } from "../providers/reachability.ts";
import { createTransport } from "../providers/transport.ts";
import type { Send } from "../training/coordinator/participant-client.ts";

/** The most that a participant may answer with. */
const ANSWER_BYTES_MAX = 1024 ** 3;
const UNLESS = ", unless whoever runs the server sets general_settings.training.allow_private_participants";

/** Ports of the web, and those that programs without privileges listen on: a participant's own is 5000. */
const isOpenPort = (port: string): boolean => port === "" || port === "80" || port === "443" || Number(port) >= 1024;

/**
 * How calls reach participants: by the transport that guards addresses which callers name. Redirects are never followed, and
 * an answer that does not end is cut off.
 */
export function participantTransport(allowPrivate: boolean, bytesMax = ANSWER_BYTES_MAX, resolve = resolveHost): Send {
  const transport = createTransport({
    locals: {},
    sign: () => Promise.reject(new Error("nothing is signed here")),
    reachability: new Reachability(connectOnce, () => performance.now(), isProxied),
    resolve,
    isOpenPort,
    fetch: (url, init) => fetch(url, init),
  });
  const send = allowPrivate ? transport.send : transport.sendGuarded;
  return async (url, { method = "GET", headers, body = null, signal }) => {
    const request = {
      url,
      method: method as "GET" | "POST",
      headers: headers as Record<string, string>,
      body: body as FormData | null,
    };
    const response = await send(request, signal ?? new AbortController().signal).catch((thrown: unknown) => {
      throw inWordsOf(url, thrown);
    });
    const { status, statusText } = response;
    const limited = response.body?.pipeThrough(limit(bytesMax)) ?? null;
    return new Response(limited, { status, statusText, headers: response.headers });
  };
}

/** The transport speaks of providers, and nobody here knows one. */
function inWordsOf(url: string, thrown: unknown): unknown {
  if (!(thrown instanceof GatewayError) || thrown.kind !== "connection") return thrown;
  return new GatewayError("connection", `Nothing answers at ${new URL(url).origin}`, { cause: thrown.cause });
}

function limit(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > bytesMax) controller.error(new Error(`its answer is longer than ${bytesMax} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

/** What can be seen of an address without asking a name server; the rest is seen when it is called. */
export function refusePrivateParticipant(text: string): void {
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$|\.$/g, "");
  const isNamed = isIP(host) === 0 && host !== "localhost" && host.includes(".") && !host.endsWith(".localhost");
  if ((isNamed || isPublicAddress(host)) && isOpenPort(url.port)) return;
  throw new GatewayError(
    "invalid_request",
    `url: only public addresses, at port 80, 443 or above 1023, are called${UNLESS}.`,
    { param: "url" },
  );
}
