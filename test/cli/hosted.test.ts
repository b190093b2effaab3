import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ADMIN, type Place, startPlace } from "./command-line.ts";

const START_MS = 60_000;
const MASTER_KEY = "sk-master-of-a-hosted-server";

describe("the command line, with a server that takes keys from one header alone", () => {
  let place: Place;
  beforeAll(async () => {
    const config = "general_settings: { hosted: true }\n";
    place = await startPlace({ TURNPIKE_MASTER_KEY: MASTER_KEY }, config);
  }, START_MS);
  afterAll(() => place?.close());

  test("works with the master key", async () => {
    const env = { TURNPIKE_TOKEN: MASTER_KEY };
    const { code, out } = await place.person().run(["admin", "users", "reset-password", ADMIN.email], { env });
    expect([code, out]).toEqual([0, expect.stringContaining("/ui/reset-password")]);
  });

  test("calls a model with a key, and works with the token of somebody who is signed in", async () => {
    const person = place.person();
    await person.signUp("ida@example.com");
    const { key } = await person.json<{ key: string }>(["keys", "create", "laptop"]);
    const env = { TURNPIKE_KEY: key };
    const { code, out } = await person.run(["chat", "-m", "echo", "Hello!"], { env });
    expect([code, out.trim()]).toEqual([0, "You said: Hello!"]);
  });
});
