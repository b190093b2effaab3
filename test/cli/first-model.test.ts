import { afterAll, expect, test } from "bun:test";
import { newFolder, startTurnpike } from "../e2e/process.ts";
import { ADMIN, Person } from "./command-line.ts";

const folder = newFolder();
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () =>
    Response.json({
      ...{ id: "c", object: "chat.completion", created: 1, model: "gpt-4o" },
      choices: [{ index: 0, message: { role: "assistant", content: "It works." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
});
afterAll(async () => {
  folder.remove();
  await upstream.stop(true);
});

test("a first start without the demo says what to do next, and that leads to an answer", async () => {
  const env = { TURNPIKE_ADMIN_EMAIL: ADMIN.email, TURNPIKE_ADMIN_PASSWORD: ADMIN.password };
  const server = await startTurnpike(folder.path, env, ["--no-demo"]);
  const admin = new Person(server.url);
  try {
    await server.waitFor(/keys create .*\n/);
    // All of it is written at once; a call stands at its end.
    const [, call = ""] = await server.waitFor(/^ {2}(curl .*\n.*\n.*)$/m);
    const steps =
      server
        .output()
        .split("To administer it")[1]
        ?.match(/(?<=^ {2}turnpike |^ {2}export TURNPIKE_KEY="\$\(turnpike ).*$/gm)
        ?.map((step) => step.replace(/\)"$/, "")) ?? [];
    expect(steps.map((step) => step.split(" ").slice(0, 3).join(" "))).toEqual([
      `login --url ${server.url}`,
      "admin models add",
      "orgs create my-organization",
      "orgs use my-organization",
      "admin credits grant",
      "teams create my-team",
      "keys create my-key",
    ]);
    let key = "";
    for (const step of steps) {
      const isKey = step.startsWith("keys");
      const words = [...step.replace(/ < .*/, "").matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
      const more = step.startsWith("login") ? ["--password-stdin"] : [];
      // The provider of the test answers in the place of the real one.
      const base = words[1] === "models" ? ["--api-base", `${upstream.url.href}v1`] : [];
      const stdin = step.startsWith("login") ? `${ADMIN.password}\n` : "sk-of-the-provider\n";
      const { code, out, err } = await admin.run([...words, ...more, ...base], { stdin });
      expect([step, code, err]).toEqual([step, 0, err]);
      if (isKey) key = out.trim();
    }
    const answer = await admin.run(["chat", "Hello!", "-m", "gpt-4o"], { env: { TURNPIKE_KEY: key } });
    expect(answer).toEqual({ code: 0, out: expect.stringContaining("It works."), err: "" });
    const shell = Bun.spawn(["sh", "-c", call], {
      env: { PATH: process.env.PATH ?? "", TURNPIKE_KEY: key },
      stderr: "ignore",
    });
    expect(await new Response(shell.stdout).text()).toContain("It works.");
  } finally {
    admin.remove();
    server.kill("SIGKILL");
    await server.exited;
  }
}, 60_000);
