import type { PageFacts } from "../../../src/contract/page-facts.ts";

/** Vite's own server fills nothing in: then it is as on a server that nobody has changed. */
const USUAL: PageFacts = { keyHeader: "authorization", command: "turnpike" };

/** What the server wrote into the first page about itself. */
export const pageFacts: PageFacts = readFacts();

function readFacts(): PageFacts {
  const content = document.querySelector<HTMLMetaElement>('meta[name="page-facts"]')?.content ?? "";
  return content.startsWith("{") ? (JSON.parse(content) as PageFacts) : USUAL;
}
