import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

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

/** Where the server listens that `npm run dev` shows the pages of. */
const server = process.env.TURNPIKE_URL ?? "http://127.0.0.1:4000";

export default defineConfig({
  base: "/ui/",
  plugins: [react(), compressed()],
  build: {
    target: "es2022",
    // `light-dark()` stays as it is written: rewritten for older browsers it would not follow Mantine's scheme.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    sourcemap: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    // An inline script would not be allowed to run.
    modulePreload: { polyfill: false },
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
