import { GatewayError } from "../contract/errors.ts";

/**
 * Counts the gateways that a call has passed. A deployment whose `api_base` leads back to this gateway would otherwise
 * call itself until the process is overloaded.
 */
export const HOPS_HEADER = "x-gw-hops";
const HOPS_MAX = 4;

/** A value that is not a number counts as none: the header is only a client's word. */
const readHops = (header: string | null): number => (header !== null && /^\d{1,3}$/.test(header) ? Number(header) : 0);

/** Throws for a call that has passed too many gateways. */
export function checkHops({ headers }: Request): void {
  if (readHops(headers.get(HOPS_HEADER)) < HOPS_MAX) return;
  throw new GatewayError(
    "loop_detected",
    `The call passed ${HOPS_MAX} gateways. The \`api_base\` of a deployment leads back to this gateway; correct it.`,
  );
}

/** The value of the header for a request to an upstream. */
export const nextHop = (header: string | null): string => String(readHops(header) + 1);
