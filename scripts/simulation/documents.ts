import { renderPicture } from "./picture.ts";
import type { Results } from "./results.ts";
import { renderTables } from "./table.ts";

const BEGIN = "<!-- made by `npm run simulate:routing` -->";
const END = "<!-- end of what is made -->";

export interface Documents {
  /** `docs/routing.md` with fresh tables. */
  readonly text: string;
  /** `docs/routing.svg`. */
  readonly picture: string;
  readonly tables: string;
}

/** Puts the results where readers find them. */
export function renderDocuments(present: string, results: Results): Documents {
  const tables = renderTables(results);
  const [begin, end] = [present.indexOf(BEGIN), present.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error("docs/routing.md has lost the place for its tables");
  const text = `${present.slice(0, begin + BEGIN.length)}\n\n${tables}\n\n${present.slice(end)}`;
  return { text, tables, picture: renderPicture(results.ofFour) };
}
