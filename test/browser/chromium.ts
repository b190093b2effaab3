import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** First the one without a window: the others load 200 files for their address bar with every page that is opened. */
const PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const program = PROGRAMS.map((name) => Bun.which(name)).find(Boolean) ?? null;
const dist = join(import.meta.dir, "../../web/dist/index.html");

/** Why the tests in a browser cannot run here; null when they can. Pages that were not built are a failure, not a reason. */
export const browserMissing: string | null =
  program === null ? "there is no Chromium, and it could not be installed" : null;
if (browserMissing !== null) console.log(`skip: ${browserMissing}`);

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

let browser: Promise<Browser> | null = null;

/** One browser for all files of a test process, with its own folder. It ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= launchBrowser();
  return browser;
}

async function launchBrowser(): Promise<Browser> {
  if (program === null) throw new Error("There is no Chromium.");
  if (!existsSync(dist)) throw new Error("The pages are not built: `npm test` builds them and says why it cannot.");
  const home = mkdtempSync(join(tmpdir(), "turnpike-browser-"));
  process.once("exit", () => rmSync(home, { recursive: true, force: true }));
  const env = { ...process.env, HOME: home } as Record<string, string>;
  return chromium.launch({ executablePath: program, headless: true, args: FLAGS, env });
}
