import { isRecord } from "../../lib/json.ts";
import type { Judge } from "../guard.ts";
import type { GuardrailPlugin } from "../plugin.ts";
import { readFindings } from "./read-findings.ts";

/** A module of the operator's own, which is loaded once. */
export function plugin(
  path: string,
  options: Readonly<Record<string, unknown>>,
  windowChars: number,
  load: (path: string) => Promise<unknown>,
  failed: (error: unknown) => void,
): Judge {
  // At once: who wrote it reads at the start that it cannot be loaded, and not when the first call is refused.
  const loading = load(path).then(requirePlugin);
  loading.catch(failed);
  return {
    windowChars,
    async judge(texts, { callId, model, phase, extra, signal }) {
      // A list of its own: what a module does to it, those that look behind it must not see.
      const shown = { texts: [...texts], phase, callId, model, options, extra, signal };
      const found = await (await loading).inspect(shown);
      return readFindings(found, texts);
    },
  };
}

function requirePlugin(loaded: unknown): GuardrailPlugin {
  if (isRecord(loaded) && typeof loaded.inspect === "function") return loaded as unknown as GuardrailPlugin;
  throw new Error("the module's default export has no `inspect`");
}
