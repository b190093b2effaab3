import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";

/** Under this many bytes compression gains nothing. */
const SMALL = 1024;

/** The server sends what lies ready: nothing is compressed while somebody waits. */
const compressed = (): Plugin => {
  let folder = "";
  return {
    name: "compressed",
    apply: "build",
    configResolved(config) {
      folder = config.build.outDir;
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true })) {
        const path = join(folder, name.toString());
        if (!/\.(js|css|svg)$/.test(path)) continue;
        const bytes = readFileSync(path);
        if (bytes.length < SMALL) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
};

/** What every page needs, asked for together with the program itself rather than after it. */
const preloaded = (): Plugin => ({
  name: "preloaded",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle = {} }) {
      const names = Object.keys(bundle);
      const link = (pattern: RegExp, attrs: Record<string, string>): HtmlTagDescriptor[] =>
        names
          .filter((name) => pattern.test(name))
          .map((name) => ({ tag: "link", attrs: { ...attrs, crossorigin: true, href: `/ui/${name}` } }));
      return {
        html,
        tags: [
          ...link(/everyday-[^.]+\.js$/, { rel: "modulepreload" }),
          ...link(/inter-latin-wght-normal-[^.]+\.woff2$/, { rel: "preload", as: "font", type: "font/woff2" }),
        ],
      };
    },
  },
});

/** What people type into. Pages that only show something do without. */
const FORMS =
  /@mantine[\\/]form|number-format|klona|fast-deep-equal|use-form-mutation|components[\\/](NumberInput|PasswordInput|TagsInput|PillsInput|Pill|Autocomplete|Select|MultiSelect|Combobox|Textarea|TextInput|InputBase|Checkbox|Switch|FileButton)[\\/]/;

/** Where the server listens that `npm run dev` shows the pages of. */
const server = process.env.TURNPIKE_URL ?? "http://127.0.0.1:4000";

export default defineConfig({
  base: "/ui/",
  plugins: [react(), preloaded(), compressed()],
  build: {
    target: "es2022",
    // `light-dark()` stays as it is written: rewritten for older browsers it would not follow Mantine's scheme.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    sourcemap: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    // An inline script would not be allowed to run.
    modulePreload: { polyfill: false },
    // A page is a handful of files, not forty: the browser asks for six at a time.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "libraries", tags: ["$initial"], test: /node_modules/, priority: 4 },
            { name: "shell", tags: ["$initial"], priority: 3 },
            { name: "everyday", minShareCount: 8, test: (id) => !FORMS.test(id), priority: 2 },
            { name: "forms", minShareCount: 2, test: FORMS, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/v1", "/public", "/docs", "/health", "/model", "/credentials", "/fallback"].map((path) => [
        path,
        server,
      ]),
    ),
  },
});
