import { afterAll, describe, expect, test } from "bun:test";
import { ERRORS, type ErrorKind } from "../../src/contract/errors.ts";
import { startApp } from "../app.ts";
import { errorRow, undocumentedErrors, undocumentedKinds } from "./error-docs.ts";

const app = await startApp();
afterAll(() => app.close());
const page = await Bun.file(new URL("../../docs/errors.md", import.meta.url)).text();

describe("docs/errors.md", () => {
  test("has the row of every kind of error; `npm run docs:errors` writes them", () => {
    expect(undocumentedKinds(page)).toEqual([]);
  });

  test("has no row of a kind that does not exist", () => {
    const rows = Array.from(page.matchAll(/^\| `(\w+)` \| \d{3} /gm), (found) => found[1] ?? "");
    expect(rows.filter((kind) => !Object.hasOwn(ERRORS, kind))).toEqual([]);
  });

  test("explains every error that a route declares", () => {
    expect(undocumentedErrors(app.service.routes, page)).toEqual([]);
  });

  test("is found wanting when a declared error has no row", () => {
    const [route] = app.service.routes;
    const declared: ErrorKind = "context_window";
    const without = page.replace(errorRow(declared), "");
    expect(route && undocumentedErrors([route], without)).toEqual([
      "POST /v1/chat/completions declares `context_window`, which docs/errors.md does not explain",
    ]);
  });

  test("is found wanting when a route declares an error that the table does not have", () => {
    const [route] = app.service.routes;
    const made = { ...route, errors: ["made_up" as ErrorKind] } as (typeof app.service.routes)[number];
    expect(undocumentedErrors([made], page).join()).toContain("`made_up`");
  });
});
