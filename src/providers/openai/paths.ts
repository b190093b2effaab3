import type { Operation } from "../../contract/params.ts";

/** Where OpenAI's interface has each operation, below its base. Reranking is not OpenAI's; those who have it agree. */
export const PATHS: Readonly<Record<Operation, string>> = {
  chat: "/chat/completions",
  completion: "/completions",
  embedding: "/embeddings",
  moderation: "/moderations",
  speech: "/audio/speech",
  transcription: "/audio/transcriptions",
  translation: "/audio/translations",
  image: "/images/generations",
  image_edit: "/images/edits",
  rerank: "/rerank",
  realtime: "/realtime",
};

/** Another interface to what chats are for. */
export const RESPONSES_PATH = "/responses";

/** Slashes at the end of a base are harmless, and so is a base that names the whole path already. Its query stays the end. */
export function joinPath(base: string, path: string): string {
  const queryAt = base.indexOf("?");
  if (queryAt >= 0) return joinPath(base.slice(0, queryAt), path) + base.slice(queryAt);
  const trimmed = withoutEndSlashes(base);
  return trimmed.endsWith(path) ? trimmed : trimmed + path;
}

export function withoutEndSlashes(base: string): string {
  let end = base.length;
  while (end > 0 && base[end - 1] === "/") end--;
  return base.slice(0, end);
}
