// `npm run measure:ui`: how heavy and how quick the pages are on this machine. Writes the table in docs/ui.md.

import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const RUNS = 5;
const DOC = join(root, "docs/ui.md");
const MARKS = ["<!-- measured: begin -->", "<!-- measured: end -->"] as const;

interface Load {
  readonly firstPaintMs: number;
  readonly interactiveMs: number;
  readonly requests: number;
  readonly scriptBytes: number;
  readonly bytes: number;
  readonly shift: number;
}

const { ensureWeb } = (await import(new URL("./ensure-web.mjs", import.meta.url).href)) as {
  ensureWeb(): Promise<string | null>;
};
const problem = await ensureWeb();
if (problem !== null) throw new Error(problem);
const { Walk } = await import("../test/browser/walk.ts");
const walk = await Walk.start("measure");
try {
  const person = await walk.owner("ada@example.com", "Ada");
  const session = await person.context.storageState();
  const pages = [
    { name: "`/ui`, not signed in (log-in)", path: "/ui/", heading: "Log in", signedIn: false },
    { name: "`/ui`, signed in (overview)", path: "/ui/", heading: "Overview", signedIn: true },
    { name: "`/ui/model_hub_table`", path: "/ui/model_hub_table", heading: "Models", signedIn: false },
  ];
  const rows: string[] = [];
  for (const { name, path, heading, signedIn } of pages) {
    const loads: Load[] = [];
    for (let run = 0; run < RUNS; run++) {
      // Each time a browser that has never been here.
      const visitor = await walk.visitor();
      if (signedIn) await visitor.context.addCookies(session.cookies);
      loads.push(await measure(visitor.page, walk.turnpike.url + path, heading));
      await visitor.context.close();
    }
    const of = (field: keyof Load): number => median(loads.map((load) => load[field]));
    rows.push(
      `| ${name} | ${kilobytes(of("scriptBytes"))} | ${kilobytes(of("bytes"))} | ${of("requests")} | ` +
        `${Math.round(of("firstPaintMs"))} ms | ${Math.round(of("interactiveMs"))} ms | ${of("shift").toFixed(3)} |`,
    );
  }
  const first = firstLoad();
  write([
    `First load of \`/ui\` before any page's own files: **${kilobytes(first)} of compressed script** (meant to stay under 250 kB).`,
    "",
    "| Page | Script | All files | Requests | First paint | Interactive | Layout shift |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
    `Meanwhile the machine had a load of ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors.`,
  ]);
  console.log(rows.join("\n"));
  if (first >= 250_000) throw new Error("The first load is 250 kB of script or more.");
} finally {
  await walk.close();
}

/** What `index.html` itself asks for, as it is sent: with Brotli. */
function firstLoad(): number {
  const dist = join(root, "web/dist");
  const html = readFileSync(join(dist, "index.html"), "utf8");
  const names = [...html.matchAll(/(?:src|href)="\/ui\/([^"]+\.js)"/g)].map(([, name = ""]) => name);
  return names.reduce((sum, name) => sum + sizeOf(join(dist, name)), 0);
}

function sizeOf(path: string): number {
  try {
    return readFileSync(`${path}.br`).length;
  } catch {
    return readFileSync(path).length;
  }
}

/** A cold load until the page's heading is there and the browser has nothing long to do any more. */
async function measure(page: Page, url: string, heading: string): Promise<Load> {
  await page.addInitScript(observe);
  await page.goto(url);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.waitForLoadState("networkidle");
  return (await page.evaluate("globalThis.readLoad()")) as Load;
}

/** Runs in the browser, from the first moment of the page. */
function observe(): void {
  const seen = { shift: 0, busyUntilMs: 0, headingMs: 0 };
  const scope = globalThis as unknown as {
    PerformanceObserver: new (
      listen: (list: { getEntries(): { startTime: number; duration: number; value?: number }[] }) => void,
    ) => { observe(options: object): void };
    MutationObserver: new (listen: () => void) => { observe(target: unknown, options: object): void };
    document: { querySelector(selector: string): unknown };
    readLoad: () => unknown;
  };
  new scope.PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.shift += entry.value ?? 0;
  }).observe({ type: "layout-shift", buffered: true });
  new scope.PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) seen.busyUntilMs = startTime + duration;
  }).observe({ type: "longtask", buffered: true });
  new scope.MutationObserver(() => {
    if (seen.headingMs === 0 && scope.document.querySelector("h1")) seen.headingMs = performance.now();
  }).observe(scope.document, { childList: true, subtree: true });
  scope.readLoad = () => {
    const files = performance.getEntriesByType("resource") as unknown as { name: string; encodedBodySize: number }[];
    const [start] = performance.getEntriesByType("navigation" as "resource") as unknown as {
      encodedBodySize: number;
    }[];
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    const sum = (list: { encodedBodySize: number }[]): number =>
      list.reduce((total, { encodedBodySize }) => total + encodedBodySize, 0);
    return {
      firstPaintMs: paint?.startTime ?? 0,
      interactiveMs: Math.max(seen.headingMs, seen.busyUntilMs),
      requests: files.length + 1,
      scriptBytes: sum(files.filter(({ name }) => name.endsWith(".js"))),
      bytes: sum(files) + (start?.encodedBodySize ?? 0),
      shift: seen.shift,
    };
  };
}

function write(lines: readonly string[]): void {
  const [begin, end] = MARKS;
  const text = readFileSync(DOC, "utf8");
  const [before = "", rest = ""] = text.split(begin);
  const after = rest.split(end)[1] ?? "\n";
  writeFileSync(DOC, `${before}${begin}\n${lines.join("\n")}\n${end}${after}`);
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
