import { isRecord } from "../../lib/json.ts";
import type { Block, Turn } from "./block.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a request that become headers and no part of the body. */
export const HEADER_FIELDS = ["extra_headers", "anthropic_beta", "betas"] as const;

const HEADER = "anthropic-beta";
const STORED_FILES = "files-api-2025-04-14";

/** Betas that the deployment, the request or its content asks for, each once; null where there are none. */
export function betaHeader(
  request: Fields,
  deployment: Fields,
  turns: readonly Turn[],
): Readonly<Record<string, string>> | null {
  const ofDeployment = headerValue(deployment.extra_headers);
  const ofRequest = headerValue(request.extra_headers);
  const { anthropic_beta: one, betas: several } = request;
  const stored = turns.some(hasStoredFile) ? STORED_FILES : null;
  // Nearly all calls end here.
  if (!ofDeployment && !ofRequest && !one && !several && stored === null) return null;
  const names = new Set([ofDeployment, ofRequest, one, several, stored].flatMap(listed));
  return names.size > 0 ? { [HEADER]: [...names].join(",") } : null;
}

/** Of a request's headers this one alone is sent: any other could change whose call it is. */
function headerValue(headers: unknown): unknown {
  if (!isRecord(headers)) return null;
  return Object.entries(headers).find(([name]) => name.toLowerCase() === HEADER)?.[1];
}

const BETA = /^[\w.-]{1,100}$/;

function listed(value: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items
    .flatMap((item) => (typeof item === "string" ? item.split(",") : []))
    .map((name) => name.trim())
    .filter((name) => BETA.test(name));
}

const hasStoredFile = ({ content }: Turn): boolean => content.some(isStoredFile);

const isStoredFile = (block: Block): boolean =>
  isFromFile(block) || (Array.isArray(block.content) && block.content.some(isFromFile));

const isFromFile = (part: unknown): boolean => isRecord(part) && isRecord(part.source) && part.source.type === "file";
