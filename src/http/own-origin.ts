import { GatewayError } from "../contract/errors.ts";

/** Where the call itself says that it went to; null where its `Host` makes no address. */
export const originOf = ({ url }: Request): string | null => URL.parse(url)?.origin ?? null;

export function requireOrigin(request: Request): string {
  const origin = originOf(request);
  if (origin !== null) return origin;
  throw new GatewayError("invalid_request", "The `Host` header is no address.");
}
