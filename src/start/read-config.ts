import type { Config } from "../config/config.ts";
import type { Fault } from "../config/fault.ts";
import { type ConfigTexts, loadConfig } from "../config/load.ts";
import type { ReloadReport } from "../routes/admin/reload-config.ts";
import { showFaults, warningsOf } from "./check-config.ts";
import type { ServeFlags } from "./program.ts";
import { restartOnly } from "./restart-only.ts";
import { StartError } from "./start-error.ts";

/** Flags are the strongest way to say what an environment variable says. */
export function withFlags(env: NodeJS.ProcessEnv, flags: ServeFlags): Record<string, string | undefined> {
  return {
    ...env,
    ...(flags.host === undefined ? {} : { TURNPIKE_HOST: flags.host }),
    ...(flags.port === undefined ? {} : { TURNPIKE_PORT: String(flags.port) }),
    ...(flags.workers === undefined ? {} : { TURNPIKE_WORKERS: flags.workers }),
    ...(flags.dataDir === undefined ? {} : { TURNPIKE_DATA_DIR: flags.dataDir }),
    ...(flags.logLevel === undefined ? {} : { TURNPIKE_LOG_LEVEL: flags.logLevel }),
    ...(flags.demo === false ? { TURNPIKE_DEMO: "false" } : {}),
  };
}

/** `kept` is read in place of the files, where it is given. */
export function readConfig(
  file: string | null,
  env: Record<string, string | undefined>,
  kept: ConfigTexts | null = null,
): { config: Config; warnings: readonly Fault[]; files: readonly string[]; texts: ConfigTexts } {
  const loaded = loadConfig({ file, env, ...(kept ? { readFile: (path) => readKept(kept, path) } : {}) });
  if (loaded.ok) return { ...loaded, warnings: warningsOf(loaded) };
  throw new StartError(`The configuration has faults:\n\n${showFaults(loaded.faults)}`);
}

function readKept(texts: ConfigTexts, path: string): string {
  const text = texts[path];
  if (text === undefined) throw Object.assign(new Error(`${path} was not there`), { code: "ENOENT" });
  return text;
}

/** Reads the file again. One with faults changes nothing; one without replaces what a running process can take over. */
export class Reloader {
  private deployments: number;

  /** `file` is the one that was read at the start: if it is gone now, that is a fault, and not an empty configuration. */
  constructor(
    private file: string | null,
    private readonly env: Record<string, string | undefined>,
    private readonly started: Config,
    private readonly take: (next: Config, texts: ConfigTexts) => void,
  ) {
    this.deployments = started.deployments.length;
  }

  /** `more` is asked what else is to be said, once the new configuration counts. */
  reload(more: () => readonly Fault[] = () => []): ReloadReport {
    const loaded = loadConfig({ file: this.file, env: this.env });
    const warnings = warningsOf(loaded).map(line);
    if (!loaded.ok) {
      return { ok: false, faults: loaded.faults.map(line), warnings, needRestart: [], deployments: this.deployments };
    }
    if (this.deployments > 0 && loaded.config.deployments.length === 0) {
      return { ok: false, faults: [EMPTIED], warnings, needRestart: [], deployments: this.deployments };
    }
    this.deployments = loaded.config.deployments.length;
    this.file ??= loaded.files[0] ?? null;
    const needRestart = restartOnly(this.started, loaded.config);
    this.take(loaded.config, loaded.texts);
    const all = [...warnings, ...more().map(line)];
    return { ok: true, faults: [], warnings: all, needRestart, deployments: loaded.config.deployments.length };
  }
}

/** A file that is being written is empty for a moment. */
const EMPTIED = "the file has no models any more; if that is meant, restart";

const line = ({ file, line: row, column, path, message }: Fault): string =>
  [[file, row, column].filter((part) => part !== null).join(":"), path, message]
    .filter((part) => part !== "")
    .join(" ");
