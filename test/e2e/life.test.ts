import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, runTurnpike, startTurnpike, type Turnpike } from "./process.ts";

const folders: { remove(): void }[] = [];
const running: Omit<Turnpike, "url">[] = [];
const folder = (): string => {
  const made = newFolder();
  folders.push(made);
  return made.path;
};
const start = async (...args: Parameters<typeof startTurnpike>): Promise<Turnpike> => {
  const turnpike = await startTurnpike(...args);
  running.push(turnpike);
  return turnpike;
};
afterEach(async () => {
  for (const turnpike of running.splice(0)) {
    turnpike.kill("SIGKILL");
    await turnpike.exited;
  }
}, 30_000);
afterAll(() => {
  for (const one of folders) one.remove();
});

const keyOf = (turnpike: Turnpike, label: string): string =>
  new RegExp(`${label} +(sk-\\w+)`).exec(turnpike.output())?.[1] ?? "";

const chat = (url: string, key: string, fields: object = {}): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello!" }], ...fields }),
  });

async function stop(turnpike: Turnpike, signal: NodeJS.Signals = "SIGTERM"): Promise<number> {
  turnpike.kill(signal);
  return turnpike.exited;
}

describe("the first start", () => {
  test("prints a login, keys and a curl, and all of them work", async () => {
    const turnpike = await start(folder());
    const command = /Try it:\n([\s\S]+?)\n\n/.exec(`${turnpike.output()}\n`)?.[1] ?? "";
    const curl = Bun.spawn(["sh", "-c", command], { stderr: "ignore" });
    expect(await new Response(curl.stdout).json()).toMatchObject({ object: "chat.completion", model: "echo" });

    expect((await chat(turnpike.url, keyOf(turnpike, "Master key"))).status).toBe(200);
    const [, email, password] = /Admin +(\S+) +(\S+)/.exec(turnpike.output()) ?? [];
    const login = await fetch(`${turnpike.url}/api/auth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    expect(login.status).toBe(200);
  });

  test("hands over links to the port that the system chose", async () => {
    const turnpike = await start(folder());
    const headers = { authorization: `Bearer ${keyOf(turnpike, "Master key")}` };
    const { data } = (await (await fetch(`${turnpike.url}/api/admin/users`, { headers })).json()) as {
      data: { id: number }[];
    };
    const path = `/api/admin/users/${data[0]?.id}/password-reset`;
    const { resetUrl } = (await (await fetch(`${turnpike.url}${path}`, { method: "POST", headers })).json()) as {
      resetUrl: string;
    };
    expect(resetUrl).toStartWith(`${turnpike.url}/ui/reset-password?token=`);
  });

  test("keeps its secrets to its owner, and no key lies in the database", async () => {
    const path = folder();
    const turnpike = await start(path);
    expect(statSync(join(path, "data")).mode & 0o077).toBe(0);
    expect(statSync(join(path, "data/secrets.json")).mode & 0o077).toBe(0);
    const demoKey = keyOf(turnpike, "Demo key");
    await stop(turnpike);
    for (const name of ["turnpike.db", "turnpike.db-wal"]) {
      const file = Bun.file(join(path, "data", name));
      if (await file.exists()) expect(await file.text()).not.toContain(demoKey.slice(0, 20));
    }
  });
});

describe("the second start", () => {
  test("keeps everything and prints no secret", async () => {
    const path = folder();
    const first = await start(path);
    const keys = [keyOf(first, "Demo key"), keyOf(first, "Master key")];
    expect(await stop(first)).toBe(0);
    const second = await start(path);
    expect(second.output()).not.toContain("sk-");
    expect(second.output()).toContain("secrets.json");
    for (const key of keys) expect((await chat(second.url, key)).status).toBe(200);
  });

  test("keeps everything after kill -9 too", async () => {
    const path = folder();
    const first = await start(path);
    const key = keyOf(first, "Demo key");
    first.kill("SIGKILL");
    await first.exited;
    const second = await start(path);
    expect((await chat(second.url, key)).status).toBe(200);
  });
});

describe("a journal whose lock is damaged", () => {
  /** A killed process that leaves a call behind that had begun, and the folder of its journal. */
  async function killedInACall(path: string): Promise<string> {
    const first = await start(path);
    const streamed = await chat(first.url, keyOf(first, "Demo key"), {
      stream: true,
      echo_fault: { token_delay_ms: 30_000 },
    });
    expect(streamed.status).toBe(200);
    first.kill("SIGKILL");
    await first.exited;
    await streamed.text().catch(() => undefined);
    const journal = join(path, "data/journal");
    return join(journal, readdirSync(journal)[0] ?? "");
  }

  test("holds nothing up: it is told of, and the calls are settled", async () => {
    const path = folder();
    const journal = await killedInACall(path);
    writeFileSync(join(journal, "lock.db"), "this is no database, and longer than the head of one ".repeat(40));
    const second = await start(path);
    expect(second.output()).toContain("was damaged and is made anew");
    expect(second.output()).toMatch(/"aborted":1.*calls of a former process were settled/);
    expect(existsSync(journal)).toBe(false);
  });

  test("that cannot be mended keeps its calls for the next start", async () => {
    const path = folder();
    const journal = await killedInACall(path);
    rmSync(join(journal, "lock.db"));
    mkdirSync(join(journal, "lock.db"));
    const second = await start(path);
    expect(second.output()).toContain("cannot be locked");
    expect(await stop(second)).toBe(0);
    rmSync(join(journal, "lock.db"), { recursive: true });
    const third = await start(path);
    expect(third.output()).toMatch(/"aborted":1.*calls of a former process were settled/);
  });
});

describe("a data folder", () => {
  test("in use is refused, with the holder's process id", async () => {
    const path = folder();
    const holder = await start(path);
    const second = runTurnpike(path, ["serve", "--port", "0"]);
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain(String(holder.pid));
    expect(second.output()).not.toMatch(/\n +at /);
  });
});

describe("a stop", () => {
  test("lets a stream finish, answers new calls with 503, and exits 0", async () => {
    const turnpike = await start(folder());
    const key = keyOf(turnpike, "Demo key");
    const streamed = await chat(turnpike.url, key, {
      stream: true,
      messages: [{ role: "user", content: "word ".repeat(60) }],
      echo_fault: { token_delay_ms: 20 },
    });
    turnpike.kill("SIGTERM");
    await turnpike.waitFor(/draining/);
    const refused = await chat(turnpike.url, key);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: "service_unavailable" } });
    expect((await fetch(`${turnpike.url}/health/liveliness`)).status).toBe(200);
    expect((await fetch(`${turnpike.url}/health/readiness`)).status).toBe(503);
    expect(await streamed.text()).toEndWith("data: [DONE]\n\n");
    expect(await turnpike.exited).toBe(0);
  });

  test("ends a stream past its time with an error, and the log says so", async () => {
    const path = folder();
    writeFileSync(join(path, "turnpike.yaml"), "general_settings: { drain_timeout: 0.3 }\n");
    const turnpike = await start(path);
    const [key, master] = [keyOf(turnpike, "Demo key"), keyOf(turnpike, "Master key")];
    const slow = { stream: true, echo_fault: { token_delay_ms: 30_000 } };
    const streamed = await chat(turnpike.url, key, slow);
    const messages = await fetch(`${turnpike.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ model: "echo", max_tokens: 9, messages: [{ role: "user", content: "Hello!" }], ...slow }),
    });
    const [text, events, code] = await Promise.all([streamed.text(), messages.text(), stop(turnpike)]);
    expect(code).toBe(0);
    expect(text).toMatch(/data: \{"error":\{[^\n]*"code":"server_shutdown"[^\n]*\n\n$/);
    expect(events).toMatch(/event: error\ndata: [^\n]*The server stopped[^\n]*\n\n$/);

    const again = await start(path);
    const ask = await fetch(`${again.url}/spend/logs`, { headers: { authorization: `Bearer ${master}` } });
    const rows = (await ask.json()) as { status: string; metadata: { error_code: string } }[];
    expect(rows.map(({ status, metadata }) => [status, metadata.error_code])).toEqual(
      Array.from({ length: 2 }, () => ["failure", "server_shutdown"]),
    );
  });
});

describe("a reload", () => {
  const yaml = (name: string) => `model_list:\n  - model_name: ${name}\n    litellm_params: { model: echo/chat }\n`;

  test("by SIGHUP takes over models without dropping a stream; a bad file changes nothing", async () => {
    const path = folder();
    const file = join(path, "turnpike.yaml");
    writeFileSync(file, yaml("before"));
    const turnpike = await start(path);
    const key = keyOf(turnpike, "Demo key");
    const streamed = await chat(turnpike.url, key, {
      model: "before",
      stream: true,
      echo_fault: { token_delay_ms: 50 },
    });

    writeFileSync(file, yaml("after"));
    turnpike.kill("SIGHUP");
    // The one of the file, and those that are built in.
    const count = Number((await turnpike.waitFor(/"deployments":(\d+).*configuration reloaded/))[1]);
    expect(count).toBeGreaterThan(1);
    expect((await chat(turnpike.url, key, { model: "after" })).status).toBe(200);
    expect((await chat(turnpike.url, key, { model: "before" })).status).toBe(404);
    expect(await streamed.text()).toEndWith("data: [DONE]\n\n");

    writeFileSync(file, "model_list: 7\n");
    turnpike.kill("SIGHUP");
    await turnpike.waitFor(new RegExp(`"deployments":${count}\\b.*configuration not changed`));
    expect((await chat(turnpike.url, key, { model: "after" })).status).toBe(200);
  });

  test("by the admin API tells what needs a restart", async () => {
    const path = folder();
    const turnpike = await start(path);
    writeFileSync(join(path, "turnpike.yaml"), `general_settings: { max_request_size_mb: 5 }\n${yaml("new")}`);
    const reload = () =>
      fetch(`${turnpike.url}/api/admin/config/reload`, {
        method: "POST",
        headers: { "x-gw-api-key": keyOf(turnpike, "Master key") },
      });
    expect(await (await reload()).json()).toEqual({
      deployments: 1,
      warnings: [],
      needRestart: ["general_settings.max_request_size_mb"],
    });
    await turnpike.waitFor(
      /"level":"warn".*"settings":\["general_settings.max_request_size_mb"\].*after a restart only/,
    );
    writeFileSync(join(path, "turnpike.yaml"), "model_lst: []\n");
    const bad = await reload();
    expect(bad.status).toBe(400);
    expect(await bad.text()).toContain("model_list");
  });
});

describe("the program", () => {
  const run = async (args: string[], path = folder()) => {
    const program = runTurnpike(path, args);
    return { code: await program.exited, output: program.output() };
  };

  test("lists its commands and the flags of serve", async () => {
    const help = await run(["--help"]);
    expect(help.code).toBe(0);
    for (const command of ["serve", "config", "migrate", "version"]) expect(help.output).toContain(command);
    const serve = await run(["serve", "--help"]);
    for (const flag of ["--port", "--host", "--config", "--data-dir", "--no-demo"])
      expect(serve.output).toContain(flag);
  });

  test("tells its version", async () => {
    expect((await run(["version"])).output).toMatch(/^turnpike \d+\.\d+\.\d+ \(interface 1\.84\.0/);
    expect(JSON.parse((await run(["version", "--json"])).output)).toMatchObject({ api: "1.84.0" });
  });

  test("checks a configuration: every fault with file, line and column, and exit code 1", async () => {
    const path = folder();
    writeFileSync(join(path, "bad.yaml"), "general_settings:\n  port: many\nmodel_lst: []\n");
    const { code, output } = await run(["config", "check", "bad.yaml"], path);
    expect(code).toBe(1);
    expect(output).toContain("bad.yaml:2:9");
    expect(output).toContain("bad.yaml:3:1");
    const json = await run(["config", "check", "bad.yaml", "--json"], path);
    expect(JSON.parse(json.output)).toMatchObject({ ok: false, faults: [{ line: 2 }, { line: 3 }] });
  });

  test("tells of protections that are not served first: under a heading when asked, in the log at the start", async () => {
    const path = folder();
    const model = (name: string): string =>
      `  - { model_name: ${name}, litellm_params: { model: openai/gpt-4o, api_key: os.environ/UNSET_KEY } }\n`;
    const text = "litellm_settings: { set_verbose: true }\ngeneral_settings: { allowed_routes: [/chat/completions] }\n";
    writeFileSync(join(path, "turnpike.yaml"), `${text}model_list:\n${model("a")}${model("b")}`);
    const { code, output } = await run(["config", "check"], path);
    expect(code).toBe(0);
    const heading =
      "1 protection of this file that is not served:\n\n./turnpike.yaml:2:21  general_settings.allowed_routes";
    expect(output).toContain(heading);
    expect(output.search(/^\d warnings:/m)).toBeGreaterThan(output.indexOf(heading));
    const turnpike = await start(path);
    const log = turnpike.output();
    expect(log).toContain("`general_settings.allowed_routes` is not served here, and without it more is let through");
    expect(log.indexOf("set_verbose")).toBeGreaterThan(log.indexOf("allowed_routes"));
    expect(log.match(/UNSET_KEY is not set/g)).toHaveLength(1);
  });

  test("warns of a model without a known price, when asked and once it serves", async () => {
    const path = folder();
    writeFileSync(
      join(path, "turnpike.yaml"),
      "model_list:\n  - {model_name: my-finetune, litellm_params: {model: openai/acme-ft-7, api_key: k}}\n",
    );
    const words = "`my-finetune` has no known price: calls with keys are refused (400 price_unknown)";
    const { code, output } = await run(["config", "check"], path);
    expect([code, output.includes(words)]).toEqual([0, true]);
    const turnpike = await start(path);
    await turnpike.waitFor(/`my-finetune` has no known price/);
    turnpike.kill("SIGHUP");
    await turnpike.waitFor(/"warnings":\[[^\]]*`my-finetune` has no known price.*configuration reloaded/);
  });

  test("warns of models that no key is known for, and the file is good all the same", async () => {
    const path = folder();
    const text = `model_list:
  - {model_name: gpt, litellm_params: {model: openai/gpt-4o}}
  - {model_name: mini, litellm_params: {model: openai/gpt-4o-mini}}
  - {model_name: "*", litellm_params: {model: "openrouter/*"}}
  - {model_name: claude, litellm_params: {model: anthropic/claude-sonnet-4-5}}
  - {model_name: bedrock, litellm_params: {model: bedrock/amazon.nova-lite-v1:0, aws_region_name: us-east-1}}
  - {model_name: vectors, litellm_params: {model: cohere/embed-v4.0}, model_info: {mode: embedding}}
  - {model_name: keyed, litellm_params: {model: gemini/gemini-2.5-flash, api_key: k}}
  - {model_name: by-variable, litellm_params: {model: groq/llama-3.3-70b-versatile}}
  - {model_name: own, litellm_params: {model: hosted_vllm/m, api_base: "http://127.0.0.1:1/v1"}, model_info: {free: true}}
  - {model_name: brought, litellm_params: {model: openai/gpt-4o, configurable_clientside_auth_params: [api_key]}}
environment_variables: {GROQ_API_KEY: gsk}
`;
    writeFileSync(join(path, "turnpike.yaml"), text);
    const { code, output } = await run(["config", "check", "--json"], path);
    expect(code).toBe(0);
    const { ok, warnings } = JSON.parse(output) as { ok: boolean; warnings: { line: number; message: string }[] };
    expect(ok).toBe(true);
    const told = warnings.filter(({ message }) => message.includes("needs a key"));
    expect(told.map(({ line, message }) => [line, message.slice(0, message.indexOf(" needs a key"))])).toEqual([
      [2, "calls of `gpt` and of 1 more will fail: OpenAI"],
      [4, "calls of `*` will fail: OpenRouter"],
      [5, "calls of `claude` will fail: Anthropic"],
      [6, "calls of `bedrock` will fail: Amazon Bedrock"],
      [7, "calls of `vectors` will fail: Cohere"],
    ]);
    expect(told[0]?.message).toContain("set api_key in the deployment or OPENAI_API_KEY in the environment.");
  });

  test("names models without a known price, and of providers that are not served, with their place and beside faults", async () => {
    const path = folder();
    const text = `model_list:
  - {model_name: my-finetune, litellm_params: {model: openai/acme-ft-7, api_key: k}}
  - {model_name: faulty, litellm_params: {model: openai/acme-ft-8, api_base: nowhere}}
  - {model_name: unserved, litellm_params: {model: sagemaker_chat/some}}
general_settings: {port: many}
`;
    writeFileSync(join(path, "turnpike.yaml"), text);
    const { code, output } = await run(["config", "check"], path);
    expect(code).toBe(1);
    expect(output).toContain("./turnpike.yaml:2:5  model_list[0]  `my-finetune` has no known price");
    expect(output).toContain(
      "./turnpike.yaml:4:5  model_list[2]  the provider `sagemaker_chat` is known but not served",
    );
    expect(output).toContain("2 faults:");
    // What has a fault is told of that alone.
    expect(output).not.toContain("`faulty`");
    const { warnings } = JSON.parse((await run(["config", "check", "--json"], path)).output);
    expect(warnings).toContainEqual(expect.objectContaining({ line: 2, column: 5, path: "model_list[0]" }));
  });

  test("refuses to start with a bad configuration, in words", async () => {
    const path = folder();
    writeFileSync(join(path, "turnpike.yaml"), "general_settings:\n  port: many\n");
    const { code, output } = await run(["serve"], path);
    expect(code).toBe(1);
    expect(output).toContain("turnpike.yaml:2:9");
    expect(output).not.toMatch(/\n +at /);
  });

  test("says so when its port is taken", async () => {
    const turnpike = await start(folder());
    const { code, output } = await run(["serve", "--port", new URL(turnpike.url).port]);
    expect(code).toBe(1);
    expect(output).toContain("--port");
  });

  test("migrates by command, and says what it would do", async () => {
    const path = folder();
    expect((await run(["migrate", "--dry-run"], path)).output).toContain("would apply 0001-accounts");
    expect((await run(["migrate"], path)).output).toContain("applied 0001-accounts");
    expect((await run(["migrate"], path)).output).toContain("up to date");
    expect((await run(["migrate", "--dry-run", "--json"], path)).output).toContain('{"pending":[]}');
  });

  test("knows no command that does not exist", async () => {
    const { code, output } = await run(["srve"]);
    expect(code).not.toBe(0);
    expect(output).toContain("serve");
  });
});

test("the example configuration starts", async () => {
  const path = folder();
  const example = readFileSync(new URL("../../turnpike.example.yaml", import.meta.url), "utf8");
  writeFileSync(join(path, "turnpike.yaml"), example);
  const turnpike = await start(path);
  expect((await chat(turnpike.url, keyOf(turnpike, "Demo key"))).status).toBe(200);
});
