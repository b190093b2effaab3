import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startStrictUpstreams } from "../../clients/strict-upstreams.ts";
import { isNightly } from "../../property-runs.ts";
import type { Reply, Seen } from "../../upstreams/script.ts";
import { installNpmClient } from "../install-npm-client.ts";
import { newFolder, startTurnpike, type Turnpike } from "../process.ts";

/** A coding agent from npm. */
interface Agent {
  readonly spec: string;
  /** A file of the package: a script for Node, or a program. */
  readonly file: string;
  readonly isProgram?: true;
  /** Runs it once, with a prompt; `home` is a new, empty folder. */
  start(given: AgentRun): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
}

interface AgentRun {
  readonly home: string;
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

const PROMPT = "Run the command that prints the word.";
const COMMAND = "echo printed-by-the-tool";

const codex: Agent = {
  spec: "@openai/codex@0.169.0",
  file: "bin/codex.js",
  start({ home, url, key, model }) {
    const provider = `name = "Turnpike"\nbase_url = "${url}/v1"\nenv_key = "TURNPIKE_KEY"\nwire_api = "responses"\n`;
    const quiet = "check_for_update_on_startup = false\n[analytics]\nenabled = false\n";
    const chosen = `model = "${model}"\nmodel_provider = "turnpike"\n`;
    writeFileSync(join(home, "config.toml"), `${chosen}${quiet}[model_providers.turnpike]\n${provider}`);
    return {
      args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT],
      env: { CODEX_HOME: home, TURNPIKE_KEY: key },
    };
  },
};

const claudeCode: Agent = {
  spec: "@anthropic-ai/claude-code@2.1.197",
  file: "cli-wrapper.cjs",
  start: ({ url, key, model }) => ({
    args: ["-p", PROMPT, "--model", model, "--dangerously-skip-permissions"],
    env: {
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_SMALL_FAST_MODEL: model, IS_SANDBOX: "1" },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
    },
  }),
};

const geminiCli: Agent = {
  spec: "@google/gemini-cli@0.61.0",
  file: "bundle/gemini.js",
  start({ home, url, key, model }) {
    mkdirSync(join(home, ".gemini"));
    const privacy = { usageStatisticsEnabled: false };
    const settings = { security: { auth: { selectedType: "gemini-api-key" } }, privacy };
    writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    return {
      args: ["--yolo", "--skip-trust", "--model", model, "--prompt", PROMPT],
      env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key, GEMINI_CLI_NO_RELAUNCH: "true" },
    };
  },
};

const opencode: Agent = {
  spec: "opencode-ai@1.18.33",
  file: `../opencode-${process.platform}-${process.arch}/bin/opencode`,
  isProgram: true,
  start({ home, url, key, model }) {
    const provider = { npm: "@ai-sdk/openai-compatible", options: { baseURL: `${url}/v1`, apiKey: key } };
    const config = { provider: { turnpike: { ...provider, models: { [model]: {} } } }, model: `turnpike/${model}` };
    writeFileSync(join(home, "opencode.json"), JSON.stringify(config));
    const quiet = { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" };
    return { args: ["run", PROMPT], env: { OPENCODE_CONFIG: join(home, "opencode.json"), ...quiet } };
  },
};

const MODELS = ["gpt", "responses", "claude", "gemini"];
const AGENTS: readonly (readonly [name: string, agent: Agent])[] = [
  ["Codex", codex],
  // Together they cost more processor time than the rest of this folder.
  ...(isNightly
    ? ([
        ["Claude Code", claudeCode],
        ["Gemini CLI", geminiCli],
        ["opencode", opencode],
      ] as const)
    : []),
];

/** The tools by which agents run a command, and the field that has it. */
const SHELLS: Readonly<Record<string, string>> = {
  exec_command: "cmd",
  Bash: "command",
  run_shell_command: "command",
  bash: "command",
};

const seen: Seen[] = [];
const upstreams = startStrictUpstreams({
  reply(given): Reply {
    seen.push(given);
    const steps = given.toolResults.length;
    // Codex finds some of its tools by a search, where it knows the model by its name.
    const searches = given.tools.includes("tool_search");
    if (searches && steps === 0)
      return { toolCalls: [{ name: "tool_search", arguments: { query: "spawn an agent" } }] };
    if (steps > (searches ? 1 : 0)) return { text: "The loop is complete." };
    const shell = given.tools.find((name) => Object.hasOwn(SHELLS, name));
    // Agents also ask for a title or a summary, without tools.
    if (shell === undefined) return { text: "A word" };
    const described = { [SHELLS[shell] as string]: COMMAND, description: "Prints the word" };
    return { toolCalls: [{ name: shell, arguments: shell === "exec_command" ? { cmd: COMMAND } : described }] };
  },
});
const folder = newFolder();
let turnpike: Turnpike;
let key = "";

beforeAll(async () => {
  writeFileSync(join(folder.path, "turnpike.yaml"), upstreams.yaml);
  turnpike = await startTurnpike(folder.path);
  key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
});
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  await upstreams.stop();
  folder.remove();
});

const AGENT_MS = 100_000;

for (const [name, agent] of AGENTS) {
  const path = await installNpmClient(agent.spec, agent.file);
  describe.skipIf(path === null)(`${name} with its default settings`, () => {
    test.each([...MODELS, ...(agent === codex ? ["gpt-5.5"] : [])])(
      "completes a loop over a tool with %s",
      async (model) => {
        const home = join(folder.path, `${name}-${model}`.replace(/\W+/g, "-"));
        mkdirSync(home);
        const { args, env } = agent.start({ home, url: turnpike.url, key, model });
        seen.length = 0;
        const child = Bun.spawn([...(agent.isProgram ? [] : ["node"]), path ?? "", ...args], {
          cwd: home,
          env: { PATH: process.env.PATH ?? "", HOME: home, ...env },
          stdin: "ignore",
          stdout: "pipe",
          stderr: "pipe",
          timeout: AGENT_MS,
        });
        const [printed, said] = await Promise.all([
          new Response(child.stdout).text(),
          new Response(child.stderr).text(),
        ]);
        expect([await child.exited, printed], said.slice(-2000)).toEqual([
          0,
          expect.stringContaining("The loop is complete."),
        ]);
        expect(seen.flatMap(({ toolResults }) => toolResults).join("\n")).toContain("printed-by-the-tool");
        if (model === "gpt-5.5") expect(seen.at(-1)?.tools).toContain("spawn_agent");
      },
    );
  });
}
