import { AwsV4Signer } from "aws4fetch";
import type { Signing } from "./dialect.ts";

interface SignableRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

export type AwsSigning = Extract<Signing, { kind: "aws" }>;

/** Derived keys last a day each; a process holds a handful of credentials. */
const DERIVED_KEYS_MAX = 100;
const derivedKeys = new Map<string, ArrayBuffer>();

/**
 * The headers to send with a request to AWS, its signature among them. Only the content type and AWS's own headers are
 * signed besides the host, because a proxy on the way may change any other.
 */
export async function signAws(
  request: SignableRequest,
  signing: AwsSigning,
  now: Date,
): Promise<Record<string, string>> {
  if (derivedKeys.size >= DERIVED_KEYS_MAX) derivedKeys.clear();
  const given = lowerCased(request.headers);
  const signer = new AwsV4Signer({
    method: request.method,
    url: request.url,
    headers: Object.fromEntries(Object.entries(given).filter(([name]) => isSigned(name))),
    ...(request.body === null ? {} : { body: request.body }),
    accessKeyId: signing.accessKeyId,
    secretAccessKey: signing.secretAccessKey,
    ...(signing.sessionToken === null ? {} : { sessionToken: signing.sessionToken }),
    service: signing.service,
    region: signing.region,
    datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, ""),
    allHeaders: true,
    cache: derivedKeys,
  });
  const { headers } = await signer.sign();
  return { ...given, ...Object.fromEntries(headers) };
}

const isSigned = (name: string): boolean => name === "content-type" || name.startsWith("x-amz-");

/** `host` follows from the address, and whoever sends the request sets it. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => name !== "host" && name !== "authorization"),
  );
