import { isRecord } from "../../lib/json.ts";
import type { Block, Turn } from "./block.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a request that become headers and no part of the body. */
export const HEADER_FIELDS = ["extra_headers", "anthropic_beta", "betas"] as const;

const HEADER = "anthropic-beta";
const STORED_FILES = "files-api-2025-04-14";

/** Betas that the deployment, the request or its content asks for, each once. */
export function betaHeader(request: Fields, deployment: Fields, turns: readonly Turn[]): Record<string, string> {
  const asked = [
    headerValue(deployment.extra_headers),
    headerValue(request.extra_headers),
    request.anthropic_beta,
    request.betas,
    turns.some(({ content }) => content.some(isStoredFile)) ? STORED_FILES : null,
  ];
  const names = new Set(asked.flatMap(listed));
  return names.size > 0 ? { [HEADER]: [...names].join(",") } : {};
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

function isStoredFile(block: Block): boolean {
  const inner: readonly unknown[] = Array.isArray(block.content) ? block.content : [];
  return [block, ...inner].some((part) => isRecord(part) && isRecord(part.source) && part.source.type === "file");
}
