import { afterAll, expect, test } from "bun:test";
import { startApp } from "../app.ts";
import { Person } from "./command-line.ts";

// Within this process, so that the test can let time pass.
const app = await startApp();
const connection = { keepOpen: () => undefined, release: () => undefined, remoteAddress: "127.0.0.1" };
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => app.service.dispatcher.handle(request, connection),
});
const rho = new Person(`http://127.0.0.1:${server.port}`);
afterAll(async () => {
  rho.remove();
  await server.stop(true);
  await app.close();
});
const SLOW_MS = 60_000;

test(
  "a key is rotated by schedule, its value is picked up once, and the schedule is ended",
  async () => {
    await rho.signUp("rho@example.com");
    const key = await rho.json<{ id: string; key: string }>([
      ...["keys", "create", "turning", "--rotate-every", "30d", "--rotation-grace", "12h"],
    ]);
    expect(key).toMatchObject({ rotationInterval: "30d", rotationGraceSeconds: 43_200 });
    expect((await rho.run(["keys", "show", "turning"])).out).toMatch(/Rotates +every 30d, next at 2/);
    const early = await rho.run(["keys", "pick-up", "turning"]);
    expect([early.code === 0, early.err]).toEqual([false, expect.stringContaining("No value of this key waits")]);

    await app.storage.accounts.keys.update(key.id, { rotationAt: Date.now() - 1 });
    await app.service.rotateKeys();
    const shown = (await rho.run(["keys", "show", "turning"])).out;
    expect(shown).toMatch(/New value +waits since 2.*keys pick-up/);
    expect(shown).toContain("Old value until");
    const value = (await rho.run(["keys", "pick-up", "turning", "--quiet"])).out.trim();
    expect(value).toMatch(/^sk-\w{49}$/);
    expect(value).not.toBe(key.key);
    expect((await rho.run(["chat", "Hi!", "-m", "echo", "--key", value])).out).toBe("You said: Hi!\n");

    expect(await rho.json<object>(["keys", "update", "turning", "--rotate-every", "never"])).toMatchObject({
      autoRotate: false,
      nextRotationAt: null,
    });
    expect((await rho.run(["keys", "show", "turning"])).out).toMatch(/Rotates +by hand/);
    const wrong = await rho.run(["keys", "update", "turning", "--rotate-every", "soon"]);
    expect([wrong.code === 0, wrong.err]).toEqual([false, expect.stringContaining("rotationInterval: use a number")]);
  },
  SLOW_MS,
);
