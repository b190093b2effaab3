import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, sep } from "node:path";

export interface WebFile {
  readonly path: string;
  readonly type: string;
  /** Its name has a hash of its content, so that it never changes. */
  readonly lasting: boolean;
  /** The encodings that it lies ready in, the smaller first. */
  readonly encodings: readonly Encoding[];
}

export interface Encoding {
  readonly name: "br" | "gzip";
  readonly suffix: ".br" | ".gz";
}

const ENCODINGS: readonly Encoding[] = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
];

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

interface Loaded {
  readonly builtAtMs: number;
  readonly index: string;
  readonly files: ReadonlyMap<string, WebFile>;
}

/** What `web/` was built to. It is read when a page is first asked for, and again when it was built anew. */
export class WebBuild {
  private loaded: Loaded | null = null;

  constructor(private readonly folder: string) {}

  /** The one page that everything under `/ui` begins with; null where nothing was built. */
  findIndex(): string | null {
    return this.load()?.index ?? null;
  }

  /** By a list of names: no path from outside reaches the disk. */
  find(name: string): WebFile | null {
    return (this.loaded ?? this.load())?.files.get(name) ?? null;
  }

  private load(): Loaded | null {
    const index = join(this.folder, "index.html");
    const builtAtMs = statSync(index, { throwIfNoEntry: false })?.mtimeMs;
    if (builtAtMs === undefined) return null;
    if (this.loaded?.builtAtMs !== builtAtMs) {
      this.loaded = { builtAtMs, index: readFileSync(index, "utf8"), files: listFiles(this.folder) };
    }
    return this.loaded;
  }
}

function listFiles(folder: string): Map<string, WebFile> {
  const names = new Set(readdirSync(folder, { recursive: true }).map((name) => name.toString().replaceAll(sep, "/")));
  const files = new Map<string, WebFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const encodings = ENCODINGS.filter(({ suffix }) => names.has(name + suffix));
    files.set(name, { path: join(folder, name), type, lasting: name.startsWith("assets/"), encodings });
  }
  return files;
}
