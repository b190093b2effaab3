import { PROGRAM_VERSION } from "../contract/version.ts";

const PATH = "/health/readiness";
const TIMEOUT_MS = 10_000;

export interface Readiness {
  /** `healthy`, `unhealthy` or `unavailable`; null where no Turnpike server answered. */
  readonly status: string | null;
  readonly reason: string | null;
  /** By how much this machine's clock is ahead of the server's. */
  readonly skewSeconds: number | null;
  /** Where callers are sent instead. */
  readonly location: string | null;
  readonly thrown: Error | null;
}

const NOTHING: Readiness = { status: null, reason: null, skewSeconds: null, location: null, thrown: null };

/** The first question: it needs no sign-in, and is answered by a server that takes no calls, too. */
export async function askReadiness(url: string): Promise<Readiness> {
  const startedMs = Date.now();
  const call = {
    redirect: "manual" as const,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { "user-agent": `turnpike-cli/${PROGRAM_VERSION}` },
  };
  try {
    const response = await fetch(url + PATH, call);
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400) {
      return { ...NOTHING, location: location?.replace(PATH, "") ?? "nowhere" };
    }
    const skewSeconds = skewOf(response.headers.get("date"), startedMs, Date.now());
    const told = (await response.json().catch(() => null)) as { status?: unknown; reason?: unknown } | null;
    if (typeof told?.status !== "string") return NOTHING;
    return { ...NOTHING, status: told.status, reason: String(told.reason ?? "it does not say why."), skewSeconds };
  } catch (thrown) {
    return { ...NOTHING, thrown: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }
}

/** The server's time was some time of the call, and is told in whole seconds: only what is surely off counts. */
function skewOf(date: string | null, startedMs: number, endedMs: number): number | null {
  const told = Date.parse(date ?? "");
  if (Number.isNaN(told)) return null;
  if (startedMs > told + 999) return Math.round((startedMs - told) / 1000);
  return endedMs < told ? Math.round((endedMs - told) / 1000) : 0;
}

const TLS: readonly (readonly [RegExp, string])[] = [
  [/EXPIRED|NOT_YET_VALID/, "Its certificate is not valid now: the server has to renew it, or this clock is wrong."],
  [/ALTNAME|HOSTNAME/, "Its certificate is for another name: use the address that it names."],
  [/SELF_SIGNED|UNABLE_TO|CERT|ISSUER/, "Its certificate is of no known authority: name yours in NODE_EXTRA_CA_CERTS."],
  [/EPROTO|SSL|TLS/, "It speaks no TLS at this port; for http write http:// in the address."],
];

/** What to do about a failed handshake; null for other failures. */
export function tlsHint(thrown: Error): string | null {
  return TLS.find(([pattern]) => pattern.test(codeOf(thrown)))?.[1] ?? null;
}

export const codeOf = (thrown: Error): string => ("code" in thrown ? String(thrown.code) : thrown.name);
