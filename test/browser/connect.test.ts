import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { browserMissing } from "./chromium.ts";
import { PASSWORD, type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;
const VERIFIER = "browser-".padEnd(43, "v");
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

describe.skipIf(browserMissing !== null)("letting an app have a key, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  /** The app: it shows what it was told. */
  const app = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => new Response(`The app was told ${new URL(url).search}`),
  });
  const asking = (more: Record<string, string> = {}) =>
    `/auth?${new URLSearchParams({
      callback_url: `http://127.0.0.1:${app.port}/back`,
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
      ...more,
    })}`;
  const told = async (): Promise<URLSearchParams> => {
    await ada.page.getByText("The app was told").waitFor();
    return new URL(ada.page.url()).searchParams;
  };
  beforeAll(async () => {
    walk = await Walk.start("connect", { TURNPIKE_SIGNUP_CREDITS: "5" });
    ada = await walk.visitor();
  }, WALK_MS);
  afterAll(async () => {
    await app.stop(true);
    await walk?.close();
  }, WALK_MS);

  test(
    "somebody who has no account signs up, and comes back to what the app asks",
    async () => {
      const { page } = ada;
      await ada.goTo(asking({ state: "7 & 8" }));
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      await page.getByRole("link", { name: "Sign up" }).click();
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("E-mail").fill("ada@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await page.getByRole("button", { name: "Sign up" }).click();
      await page.getByRole("heading", { level: 1, name: `Connect 127.0.0.1:${app.port}` }).waitFor();
      await page.getByText("A program on your own machine").waitFor();
      expect(await page.getByLabel("Spends at most").inputValue()).toBe("10");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("ask");
    },
    WALK_MS,
  );

  test(
    "their yes gives the app a code for a key with the limits that they chose",
    async () => {
      const { page } = ada;
      await page.getByLabel("Spends at most").fill("ten");
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByText("An amount in US dollars").waitFor();
      await page.getByLabel("Spends at most").fill("2.5");
      await page.getByLabel("Ends", { exact: true }).fill("");
      await page.getByRole("button", { name: "Allow" }).click();
      const back = await told();
      expect([...back.keys()]).toEqual(["code", "state"]);
      expect(back.get("state")).toBe("7 & 8");
      const answer = await fetch(`${walk.turnpike.url}/auth/keys`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code: back.get("code"), code_verifier: VERIFIER, code_challenge_method: "S256" }),
      });
      expect(await answer.json()).toEqual({ key: expect.stringMatching(/^sk-/), user_id: expect.any(String) });
      await ada.goTo("/ui/keys");
      const row = page.getByRole("row", { name: `127.0.0.1:${app.port}` });
      await row.getByText("$2.50").first().waitFor();
    },
    WALK_MS,
  );

  test(
    "a long name of an app and a narrow window hide nothing of whose it is",
    async () => {
      const { page } = ada;
      const host = `${"very-".repeat(11)}long.${"x".repeat(60)}.example.com`;
      await ada.goTo(asking({ callback_url: `https://${host}/back` }));
      await page.getByRole("heading", { level: 1, name: `Connect ${host}` }).waitFor();
      await ada.screenshot("long");
    },
    WALK_MS,
  );

  test(
    "their no goes back, too, and somebody who is logged out logs in first",
    async () => {
      const { page, context } = ada;
      await context.clearCookies();
      await ada.goTo(asking());
      await page.getByLabel("E-mail").fill("ada@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByRole("button", { name: "Deny" }).click();
      expect([...(await told())]).toEqual([["error", "access_denied"]]);
    },
    WALK_MS,
  );

  test(
    "an app that asks in a wrong way is told about, and nobody is sent there",
    async () => {
      const { page } = ada;
      for (const [more, words] of [
        [{ callback_url: "javascript:alert(1)" }, "a whole address"],
        [{ callback_url: "http://app.example.com/" }, "begins with"],
        [{ code_challenge_method: "plain" }, "only `S256` is taken"],
      ] as const) {
        await ada.goTo(asking(more));
        await page.getByText("The app asks in a way that is not possible").waitFor();
        await page.getByText(words).waitFor();
        expect(await page.getByRole("button", { name: "Allow" }).count()).toBe(0);
      }
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("wrong");
      const elsewhere = `request to http://127.0.0.1:${app.port}`;
      expect(ada.faults.filter((fault) => fault !== elsewhere)).toEqual([]);
    },
    WALK_MS,
  );
});
