import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isNightly } from "../property-runs.ts";
import { browserMissing } from "./chromium.ts";
import { CORPUS, NAMES, OPENED } from "./markup-corpus.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 300_000;
const HALF = NAMES.length / 2;
const CONFIG = `
general_settings: { log_level: error, signup_credits: 5, api_reads_per_minute: 100000, api_writes_per_minute: 100000 }
`;

/** The pages that take no parameter, as the folders of pages list them: a new page is opened without a word here. */
const PAGES = pagesIn(fileURLToPath(new URL("../../web/src/pages", import.meta.url)));

describe.skipIf(browserMissing !== null)("markup in every field for names, in a browser", () => {
  let walk: Walk;
  let owner: Visitor;
  let operator: Visitor;
  let organizations: readonly string[] = [];
  beforeAll(async () => {
    walk = await Walk.start("markup", {}, CONFIG);
    owner = await walk.owner("ada@example.com", NAMES[0] ?? "");
    operator = await walk.operator();
    for (const visitor of [owner, operator]) await visitor.context.addInitScript(plantCanary);
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test("the corpus has sixty different strings", () => {
    expect(new Set(CORPUS).size).toBe(60);
  });

  test(
    "every field takes it as a name",
    async () => {
      organizations = await store(walk, owner, operator);
      const { data } = await walk.fromPage<{ data: { name: string }[] }>(owner, "GET", "/api/api-keys?pageSize=100");
      expect(data.map(({ name }) => name)).toEqual(expect.arrayContaining([...NAMES]));
    },
    WALK_MS,
  );

  test(
    "the owner's pages show it as text, and run nothing",
    async () => {
      for (const path of PAGES.filter((page) => !page.startsWith("/operator")))
        await lookAt(owner, `/ui${path}?size=100`);
      const teams = await walk.fromPage<{ data: { id: string }[] }>(owner, "GET", "/api/gw/teams?pageSize=5");
      for (const { id } of teams.data) await lookAt(owner, `/ui/teams/${id}`);
      for (const name of OPENED) await lookAt(owner, `/ui/models/${encodeURIComponent(name)}`);
      for (const tab of ["purchases", "ledger", "statements", "settings"])
        await lookAt(owner, `/ui/billing?tab=${tab}`);
      await expectTeams(owner, NAMES.slice(0, HALF));
      await work(walk, owner, organizations[1] ?? "");
      await expectTeams(owner, NAMES.slice(HALF));
      await work(walk, owner, organizations[0] ?? "");
      expect(owner.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "the operator's pages show it as text, and run nothing",
    async () => {
      expect(PAGES.length).toBeGreaterThan(15);
      // Nightly also the pages that the owner has opened.
      for (const path of PAGES.filter((page) => isNightly || page.startsWith("/operator")))
        await lookAt(operator, `/ui${path}?size=100`);
      const idsOf = async (path: string, count: number): Promise<readonly (string | number)[]> => {
        const { data } = await walk.fromPage<{ data: { id: string | number }[] }>(operator, "GET", path);
        return data.slice(0, count).map(({ id }) => id);
      };
      for (const id of await idsOf("/api/admin/models?source=database&pageSize=100", OPENED.length))
        await lookAt(operator, `/ui/operator/models/${encodeURIComponent(id)}`);
      for (const id of organizations) await lookAt(operator, `/ui/operator/organizations/${id}`);
      for (const text of OPENED) await lookAt(operator, `/ui/operator/routing?search=${encodeURIComponent(text)}`);
      expect(operator.faults).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "pages that the server writes show it as text, and run nothing",
    async () => {
      const month = new Date().toISOString().slice(0, 7);
      await lookAt(owner, `/api/billing/statements/${month}?format=html`);
      await owner.goTo("/ui/model_hub_table");
      const html = await owner.page.evaluate(async () => (await fetch("/ui/model_hub_table")).text());
      for (const name of NAMES.filter((text) => text.includes("<"))) expect(html).not.toContain(name);
      const plain = await walk.visitor({ javaScript: false });
      await plain.goTo("/ui/model_hub_table");
      await plain.page.getByRole("link", { name: "<svg/onload=canary(30)>", exact: true }).click();
      await plain.page.getByRole("heading", { name: "<svg/onload=canary(30)>" }).waitFor();
      expect([...owner.faults, ...plain.faults]).toEqual([]);
    },
    WALK_MS,
  );
});

function pagesIn(folder: string): string[] {
  const files = readdirSync(folder).map((area) => join(folder, area, "routes.ts"));
  const found = files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/path: "([^"]+)"/g)]);
  return found.map(([, path = ""]) => path).filter((path) => !path.includes("$"));
}

/** Puts each string into organizations, teams and their tags, keys, models, people and calls. */
async function store(walk: Walk, owner: Visitor, operator: Visitor): Promise<string[]> {
  const { data: teams } = await walk.fromPage<{ data: { id: string }[] }>(owner, "GET", "/api/gw/teams");
  const send = (visitor: Visitor, method: string, path: string, body: unknown) =>
    walk.fromPage<{ id: string }>(visitor, method, path, body);
  const main = teams[0]?.id;
  const mine = await walk.fromPage<{ activeOrganizationId: string }>(owner, "GET", "/api/auth/me");
  const addTeam = async (text: string): Promise<void> => {
    const team = await send(owner, "POST", "/api/gw/teams", { name: text });
    await send(owner, "PATCH", `/api/gw/teams/${team.id}`, { tags: [text], metadata: { [text]: text } });
  };
  for (const [index, text] of NAMES.entries()) {
    const note = { tags: [text], metadata: { note: text } };
    const person = { user_email: `person-${index}@example.com`, organizations: [mine.activeOrganizationId] };
    await Promise.all([
      send(owner, "POST", "/api/gw/api-keys", { name: text, teamId: main, ...note }),
      send(operator, "POST", "/api/admin/models", { provider: "echo", inferenceModelId: "chat", name: text }),
      send(operator, "POST", "/user/new", { ...person, user_alias: text }),
    ]);
  }
  // An organization has at most 50 teams: the second half of them belongs to the last of the other organizations.
  for (const text of NAMES.slice(0, HALF)) await addTeam(text);
  for (const text of NAMES.slice(0, 20)) await send(owner, "POST", "/api/gw/organizations", { name: text });
  for (const text of NAMES.slice(HALF)) await addTeam(text);
  const second = await walk.fromPage<{ activeOrganizationId: string }>(owner, "GET", "/api/auth/me");
  await work(walk, owner, mine.activeOrganizationId);
  await send(owner, "PUT", "/api/gw/organizations", {
    name: NAMES[3],
    storePrompts: true,
    metadata: { a: NAMES[4] },
  });
  for (const [index, text] of NAMES.slice(0, 10).entries()) {
    await send(operator, "PUT", `/api/admin/aliases/${encodeURIComponent(`alias ${text}`)}`, { model: text });
    await send(operator, "PUT", `/api/admin/fallbacks/general/${encodeURIComponent(text)}`, { targets: ["echo"] });
    const definition = { guardrail: "word_list", words: [text] };
    await send(operator, "POST", "/api/admin/guardrails", { name: `guard ${index}`, definition, info: { note: text } });
    await send(owner, "POST", "/api/webhook-endpoints", { url: `https://hooks.example/${index}`, description: text });
  }
  const { data: keys } = await walk.fromPage<{ data: { id: string }[] }>(owner, "GET", "/api/api-keys?pageSize=100");
  await owner.page.evaluate(callModels, { keys: keys.map(({ id }) => id), texts: NAMES });
  return [mine.activeOrganizationId, second.activeOrganizationId];
}

const work = (walk: Walk, owner: Visitor, organizationId: string) =>
  walk.fromPage(owner, "POST", "/api/gw/organizations/active", { organizationId });

/** Whether the list of teams has all of these, each as it was typed. */
async function expectTeams(owner: Visitor, names: readonly string[]): Promise<void> {
  await lookAt(owner, "/ui/teams?size=100");
  await owner.page.getByRole("link", { name: names[0] ?? "", exact: true }).waitFor();
  const shown = await owner.page.getByRole("table", { name: "Teams" }).getByRole("link").allTextContents();
  expect(shown).toEqual(expect.arrayContaining([...names]));
}

/** Runs in the browser: calls with the strings as end user, tag, model and message. */
async function callModels({ keys, texts }: { keys: readonly string[]; texts: readonly string[] }): Promise<void> {
  const { csrfToken } = (await (await fetch("/api/auth/me")).json()) as { csrfToken: string };
  for (const [index, text] of texts.entries()) {
    await fetch("/v1/chat/completions", {
      method: "POST",
      headers: {
        "x-csrf-token": csrfToken,
        "x-gw-key-id": keys[index % keys.length] ?? "",
        "content-type": "application/json",
      },
      body: JSON.stringify({
        model: index % 2 === 0 ? "echo" : text,
        user: text,
        metadata: { tags: [text], note: text },
        messages: [{ role: "user", content: text }],
      }),
    });
  }
}

/** Runs in every page before anything else. */
function plantCanary(): void {
  const ran: unknown[] = [];
  Object.assign(globalThis, { ran, canary: (...of: unknown[]) => ran.push(String(of)) });
}

/** Opens a page, lets it come to rest, and looks whether anything of the corpus has become an element or has run. */
async function lookAt(visitor: Visitor, path: string): Promise<void> {
  const { page } = visitor;
  await visitor.goTo(path);
  await visitor.untilAtRest();
  const found = await page.evaluate(readTraces);
  if (found.length > 0) visitor.faults.push(`${path}: ${found.join("; ")}`);
}

/** Runs in the browser. */
function readTraces(): string[] {
  const suspects =
    "iframe, object, embed, base, marquee, details[ontoggle], [onerror], [onload], [onfocus], [onmouseover], [onbegin], " +
    '[onstart], a[href^="javascript:" i], a[href^="data:" i], form[action^="javascript:" i], meta[http-equiv=refresh]';
  interface Page {
    readonly ran?: readonly string[];
    readonly document: { querySelectorAll(selector: string): Iterable<{ readonly outerHTML: string }> };
  }
  const { ran = [], document } = globalThis as unknown as Page;
  const elements = [...document.querySelectorAll(suspects)].map(
    ({ outerHTML }) => `element ${outerHTML.slice(0, 120)}`,
  );
  return [...ran.map((what) => `ran ${what}`), ...elements];
}
