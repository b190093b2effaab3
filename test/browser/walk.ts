import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { newFolder, startTurnpike, type Turnpike } from "../e2e/process.ts";
import { isNightly } from "../property-runs.ts";
import { sharedBrowser } from "./chromium.ts";

const axePath = join(dirname(createRequire(import.meta.url).resolve("axe-core")), "axe.min.js");
const axeSource = readFileSync(axePath, "utf8");

/** Wide enough for the navigation; a phone is asked for by name. */
const WINDOW = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
/** Where tables have the least room; the last is the narrowest window with the navigation. The last two only nightly. */
const TIGHT = {
  phone: PHONE,
  tablet: { width: 768, height: 1024 },
  "small window": { width: 992, height: 768 },
} as const;
/** The machine may be busy. Nothing waits this long when all is well. */
const WAIT_MS = 20_000;
/** A page that never stops asking, such as one that follows something, is looked at as it is by then. */
const REST_MS = 5000;

export const PASSWORD = "a good long one";
const ADMIN = "admin@example.com";

/** One person in one browser: a window of their own, and everything that went wrong in it. */
export class Visitor {
  /** What must not be: errors on the console, requests to other hosts, answers of the policy. */
  readonly faults: string[] = [];
  /** What the page has asked for and not been told yet. */
  private readonly underWay = new Set<Request>();

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    /** Where pictures go; null: nobody wants any. */
    private readonly folder: string | null,
    readonly url: string,
    private readonly hasScripts: boolean,
  ) {}

  static async open(
    context: BrowserContext,
    folder: string | null,
    url: string,
    hasScripts: boolean,
  ): Promise<Visitor> {
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    const visitor = new Visitor(page, context, folder, url, hasScripts);
    page.on("console", (message) => {
      if (message.type() === "error" && !isExpected(message.text())) visitor.faults.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => visitor.faults.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
      visitor.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const isOver = (request: Request): unknown => visitor.underWay.delete(request);
    page.on("requestfinished", isOver);
    page.on("requestfailed", isOver);
    page.on("request", (request) => {
      if (request.resourceType() !== "eventsource") visitor.underWay.add(request);
      const { origin, protocol } = new URL(request.url());
      if (/^https?:$/.test(protocol) && origin !== url) visitor.faults.push(`request to ${origin}`);
    });
    return visitor;
  }

  /** A page under `/ui`, or any other path of the server. */
  async goTo(path: string): Promise<void> {
    await this.page.goto(this.url + path);
  }

  /** Waits until the page shows all that it has to: nothing it asked for is under way, and it asks for no more once that is drawn. */
  async untilAtRest(): Promise<void> {
    await this.page.locator("h1").first().waitFor();
    const deadline = Date.now() + REST_MS;
    for (;;) {
      while (this.underWay.size > 0 && Date.now() < deadline) await Bun.sleep(5);
      await this.page.evaluate(DRAWN);
      const isWaiting = this.underWay.size > 0 || (await this.page.locator(STILL_LOADING).count()) > 0;
      if (!isWaiting || Date.now() >= deadline) return;
    }
  }

  /** Waits until this can be pasted: a button has written it a moment after it was pressed. */
  async untilCopied(text: string): Promise<void> {
    while ((await this.page.evaluate<string>("navigator.clipboard.readText()")) !== text) await Bun.sleep(20);
  }

  /** Content that is cut off on a small screen is a fault. Takes images, also in dark colors, if a folder is set. */
  async screenshot(name: string): Promise<void> {
    await this.page.evaluate("window.scrollTo(0, 0)");
    if (this.folder !== null) {
      await this.page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      await this.shoot(`${name}-dark`);
    }
    await this.page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await this.shoot(`${name}-light`);
    for (const [device, size] of Object.entries(isNightly ? TIGHT : { phone: PHONE })) {
      await this.page.setViewportSize(size);
      if (size === PHONE) await this.shoot(`${name}-${device}`);
      for (const what of await this.cutOff()) this.faults.push(`${name}, cut off on a ${device}: ${what}`);
    }
    await this.page.setViewportSize(WINDOW);
    // A click misses a button that moves back to its place.
    if (this.hasScripts) await this.page.evaluate(DRAWN);
  }

  /** What is cut off as the window is now. */
  async cutOff(): Promise<string[]> {
    if (this.hasScripts) await this.page.evaluate(DRAWN);
    return this.page.evaluate<string[]>(CUT_OFF);
  }

  private async shoot(name: string): Promise<void> {
    if (this.folder === null) return;
    mkdirSync(this.folder, { recursive: true });
    await this.page.screenshot({ path: join(this.folder, `${name}.png`), animations: "disabled", fullPage: true });
  }

  /** Words in cells of tables that stand on two lines, each behind its column's header. */
  async brokenWords(): Promise<string[]> {
    return this.page.evaluate(BROKEN_WORDS);
  }

  /** Serious and critical findings of axe; an empty list when there are none. Dark colors are checked nightly. */
  async axe(): Promise<string[]> {
    const found = new Set<string>();
    // Through the debugger: the policy of the page forbids such a script. It remains until the page is loaded again.
    if (!(await this.page.evaluate<boolean>("'axe' in globalThis"))) await this.page.evaluate(axeSource);
    for (const colorScheme of isNightly ? (["light", "dark"] as const) : (["light"] as const)) {
      await this.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await this.page.evaluate(settle);
      for (const line of await this.page.evaluate(runAxe)) found.add(`${colorScheme}: ${line}`);
    }
    return [...found];
  }
}

/** The browser writes refused calls to the console by itself; the pages show them in words. */
const isExpected = (text: string): boolean =>
  /Failed to load resource: the server responded with a status of 4\d\d/.test(text);

/** Colours that are on their way are no colours to judge. Runs in the browser. */
const settle = async (): Promise<void> => {
  const { document } = globalThis as unknown as { document: { getAnimations(): { finished: Promise<unknown> }[] } };
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
};

/** What follows the size of the window a frame later, such as a chart, has followed. Runs in the browser. */
const DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

export const STILL_LOADING = ".mantine-Skeleton-root, [aria-busy=true]";

/** Runs in the browser. */
const BROKEN_WORDS = `[...document.querySelectorAll("td")].flatMap((cell) => {
  const header = cell.closest("table").querySelectorAll("th")[cell.cellIndex]?.innerText ?? "";
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    for (const { 0: word, index } of text.data.matchAll(/[^ ]+/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top));
      if (new Set(lines).size > 1) broken.push(header + ": " + word);
    }
  }
  return broken;
})`;

/**
 * What stands beyond the right edge: words and controls of tables, and the page itself; figures of a chart's axis beyond the
 * left one, and names of its legend; titles and labels of a dialog; code beside its card; buttons, and badges of tables, that are narrower than their words; cells that run into each other. Runs in the browser.
 */
const CUT_OFF = `[
  ...[...document.querySelectorAll("table")].flatMap((table) => {
    let room = table.parentElement;
    while (room && getComputedStyle(room).overflowX === "visible") room = room.parentElement;
    // What scrolls on purpose can be scrolled by the keyboard.
    if (room?.tabIndex === 0) return [];
    const edge = (room ?? document.documentElement).getBoundingClientRect().right + 1;
    const beyond = [...table.querySelectorAll("th, td, td *")].filter((part) => part.getBoundingClientRect().right > edge);
    const words = new Set(beyond.map((part) => part.ariaLabel || part.textContent));
    return beyond.length === 0 ? [] : [(table.ariaLabel ?? "a table") + ": " + [...words].slice(0, 6).join(" | ")];
  }),
  ...[...document.querySelectorAll(".recharts-yAxis-tick-labels text")]
    .filter((text) => text.getBoundingClientRect().left < text.closest("svg").getBoundingClientRect().left - 1)
    .map((text) => "a chart: " + text.textContent),
  ...[...document.querySelectorAll(".recharts-legend-wrapper [class*=legendItemName]")]
    .filter((name) => name.getBoundingClientRect().left < name.closest(".recharts-wrapper").getBoundingClientRect().left)
    .map((name) => "a legend: " + name.textContent),
  ...[...document.querySelectorAll("[role=dialog] :is(h2, label)")]
    .filter((words) => {
      const range = document.createRange();
      range.selectNodeContents(words);
      return range.getBoundingClientRect().right > words.closest("[role=dialog]").getBoundingClientRect().right;
    })
    .map((words) => "in a dialog: " + words.textContent),
  ...[...document.querySelectorAll(".mantine-Card-root pre")]
    .filter((code) => {
      const [own, card] = [code, code.closest(".mantine-Card-root")].map((part) => part.getBoundingClientRect());
      return own.left < card.left || own.right > card.right;
    })
    .map((code) => "code in a card: " + code.textContent),
  ...[...document.querySelectorAll(".mantine-Button-label")]
    .filter((label) => label.scrollWidth > label.clientWidth + 1)
    .map((label) => "the button " + label.textContent),
  ...[...document.querySelectorAll("td .mantine-Badge-label")]
    // A part of a pixel is enough for dots in place of letters.
    .filter((label) => {
      const words = document.createRange();
      words.selectNodeContents(label);
      return words.getBoundingClientRect().width > label.getBoundingClientRect().width + 0.05;
    })
    .map((label) => "the badge " + label.textContent),
  ...[...document.querySelectorAll("td")].flatMap((cell) => {
    let next = cell.nextElementSibling;
    while (next && next.offsetWidth === 0) next = next.nextElementSibling;
    const edges = [cell, next].map((part) => {
      if (!part?.textContent) return null;
      const words = document.createRange();
      words.selectNodeContents(part);
      return words.getBoundingClientRect();
    });
    const touch = edges[0]?.width && edges[1]?.width && edges[1].left - edges[0].right < 4;
    return touch ? ["two cells without room between them: " + cell.textContent + " | " + next.textContent] : [];
  }),
  ...(document.documentElement.scrollWidth > innerWidth ? ["the page scrolls sideways"] : []),
]`;

interface AxeResults {
  readonly violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[];
}

async function runAxe(): Promise<string[]> {
  const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
  const { violations } = await axe.run({
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
    resultTypes: ["violations"],
    preload: false,
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
    );
}

/** The real process, a browser, and people in it. */
export class Walk {
  private readonly contexts: BrowserContext[] = [];

  private constructor(
    readonly turnpike: Turnpike,
    private readonly browser: Browser,
    private readonly folder: ReturnType<typeof newFolder>,
    private readonly shots: string | null,
  ) {}

  /** `name` is the folder below `TURNPIKE_SCREENSHOTS` that pictures go to, `config` the text of a turnpike.yaml. */
  static async start(name: string, env: Record<string, string> = {}, config = ""): Promise<Walk> {
    const folder = newFolder();
    if (config !== "") writeFileSync(join(folder.path, "turnpike.yaml"), config);
    const accounts = { TURNPIKE_ADMIN_EMAIL: ADMIN, TURNPIKE_ADMIN_PASSWORD: PASSWORD };
    const [turnpike, browser] = await Promise.all([
      startTurnpike(folder.path, { ...accounts, ...env }),
      sharedBrowser(),
    ]);
    const shots = process.env.TURNPIKE_SCREENSHOTS;
    return new Walk(turnpike, browser, folder, shots ? join(shots, name) : null);
  }

  /** Where the process runs, and its people's files may lie. */
  get home(): string {
    return this.folder.path;
  }

  /** Somebody who is not signed in. `atName`: by the name of the machine, at which alone a browser has passkeys. */
  async visitor(options: { javaScript?: boolean; atName?: boolean } = {}): Promise<Visitor> {
    const url = options.atName ? this.turnpike.url.replace("127.0.0.1", "localhost") : this.turnpike.url;
    const javaScriptEnabled = options.javaScript ?? true;
    const context = await this.browser.newContext({
      viewport: WINDOW,
      javaScriptEnabled,
      // Nothing is learnt from waiting for a dialog to fade in.
      reducedMotion: "reduce",
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
    });
    this.contexts.push(context);
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
    return Visitor.open(context, this.shots, url, javaScriptEnabled);
  }

  /** Whoever runs the installation, signed in. */
  operator(): Promise<Visitor> {
    return this.signedIn(ADMIN);
  }

  /** The owner of an organization of their own, signed in. */
  async owner(email: string, name: string): Promise<Visitor> {
    await this.signUp(email, name);
    return this.signedIn(email);
  }

  async signUp(email: string, name: string): Promise<void> {
    const organizationName = `${name}'s company`;
    await this.send("/api/auth/signup", { email, name, password: PASSWORD, organizationName });
  }

  /** Somebody with a key, but no rights: a member of the owner's first team. */
  async developer(owner: Visitor, email: string, name: string): Promise<Visitor> {
    const teams = await this.fromPage<{ data: { id: string }[] }>(owner, "GET", "/api/gw/teams");
    const invited = await this.fromPage<{ inviteUrl?: string }>(owner, "POST", "/api/gw/teams/invite-member", {
      teamId: teams.data[0]?.id,
      email,
      role: "member",
    });
    const token = new URL(invited.inviteUrl ?? "").searchParams.get("token");
    await this.send("/api/auth/signup", { email, name, password: PASSWORD, invitationToken: token });
    return this.signedIn(email);
  }

  /** Through the API: `sign-in.test.ts` uses the form. */
  async signedIn(email: string): Promise<Visitor> {
    const visitor = await this.visitor();
    const response = await this.send("/api/auth/token", { email, password: PASSWORD, cookie: true });
    const cookies = response.headers.getSetCookie().map((line) => {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split(/=(.*)/s);
      return { name, value, url: this.turnpike.url, httpOnly: true, sameSite: "Lax" as const };
    });
    await visitor.context.addCookies(cookies);
    await visitor.goTo("/ui/");
    await visitor.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    return visitor;
  }

  /** A call as the person's own page makes it: with the cookie, and the token for changes. */
  async fromPage<T>(visitor: Visitor, method: string, path: string, json?: unknown): Promise<T> {
    return visitor.page.evaluate(callFromPage, { method, path, json }) as Promise<T>;
  }

  private async send(path: string, json: unknown): Promise<Response> {
    const answer = await fetch(this.turnpike.url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(json),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  async close(): Promise<void> {
    await Promise.all(this.contexts.map((context) => context.close()));
    this.turnpike.kill("SIGTERM");
    await this.turnpike.exited;
    this.folder.remove();
  }
}

/** Runs in the browser. */
async function callFromPage({ method, path, json }: { method: string; path: string; json: unknown }): Promise<unknown> {
  const readToken = async () => ((await (await fetch("/api/auth/me")).json()) as { csrfToken: string }).csrfToken;
  const answer = await fetch(path, {
    method,
    headers: {
      ...(method === "GET" ? {} : { "x-csrf-token": await readToken() }),
      ...(json === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
