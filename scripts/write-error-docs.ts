import { ERRORS, type ErrorKind } from "../src/contract/errors.ts";
import { errorRow } from "../test/docs/error-docs.ts";

/** Writes the table of `docs/errors.md` from the one in the code, between its two marks. */
const file = new URL("../docs/errors.md", import.meta.url);
const page = await Bun.file(file).text();
const rows = (Object.keys(ERRORS) as ErrorKind[]).map(errorRow).join("\n");
const table = `<!-- table -->
| Kind | Status | Name | \`error.type\` | \`error.code\` | Under \`/api\` | Under \`/v1/messages\` | Under \`/v1beta\` | Retry | Meaning |
|---|---|---|---|---|---|---|---|---|---|
${rows}
<!-- /table -->`;
await Bun.write(
  file,
  page.replace(/<!-- table -->[\s\S]*<!-- \/table -->/, () => table),
);
