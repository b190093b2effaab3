import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 180_000;

describe.skipIf(browserMissing !== null)("assistants and threads, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("assistants", {}, CONFIG);
    ada = await walk.owner("ada@example.com", "Ada");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  const messages = () => ada.page.getByRole("log", { name: "Messages" });
  const runs = () => ada.page.getByRole("region", { name: "Runs" });
  const send = async (text: string) => {
    await ada.page.getByRole("textbox", { name: "Message" }).fill(text);
    await ada.page.getByRole("textbox", { name: "Message" }).press("Enter");
  };

  test(
    "an assistant is made with a store and a function, and changed",
    async () => {
      const { page } = ada;
      await page.getByRole("link", { name: "Vector stores", exact: true }).click();
      await page.getByRole("button", { name: "Make one and begin" }).click();
      await page.getByRole("button", { name: "New vector store" }).first().click();
      await page.getByLabel("Name").fill("Handbook");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { level: 1, name: "Handbook" }).waitFor();
      await page.locator("input[type=file]").first().setInputFiles(BRIDGES);
      await page.getByRole("row", { name: "bridges.md" }).getByText("ready").waitFor();
      await page.getByRole("link", { name: "Assistants", exact: true }).click();
      await page.getByRole("heading", { name: "No assistants yet" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("no-assistants");
      await page.getByRole("button", { name: "New assistant" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New assistant" });
      await dialog.getByLabel("Name").fill(MARKUP);
      await dialog.getByLabel("Instructions").fill("You know the town and are brief.");
      await dialog.getByRole("switch", { name: "Searches files" }).check({ force: true });
      await dialog.getByRole("combobox", { name: "Vector store" }).click();
      await page.getByRole("option", { name: "Handbook" }).click();
      await dialog.getByLabel("Functions").fill("not a list");
      await dialog.getByRole("button", { name: "Create" }).click();
      await dialog.getByText("This is not JSON yet.").waitFor();
      await dialog.getByLabel("Functions").fill("");
      await dialog.getByRole("button", { name: "Put an example in" }).click();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("new-assistant");
      await dialog.getByRole("button", { name: "Create" }).click();
      const table = page.getByRole("table", { name: "Assistants" });
      await table.getByText(MARKUP).click();
      const change = page.getByRole("dialog", { name: "Change the assistant" });
      expect(await change.getByLabel("Functions").inputValue()).toContain("get_weather");
      await change.getByLabel("Description").fill("Knows the town");
      await change.getByRole("button", { name: "Save" }).click();
      await table.getByText("Knows the town").waitFor();
      for (const tool of ["file search", "get_weather"]) await table.getByText(tool).waitFor();
      expect(await table.locator("img").count()).toBe(0);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("assistants");
    },
    WALK_MS,
  );

  test(
    "a thread is a conversation: the answer is streamed, and its run says what it took and cost",
    async () => {
      const { page } = ada;
      await page.getByRole("button", { name: /^Talk to/ }).click();
      await messages().getByText("Nothing has been said yet.").waitFor();
      await page.getByRole("link", { name: "All threads" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await page.evaluate(watchMessages);
      await send("Say hello to the whole wide world, slowly please");
      await runs().getByText("completed", { exact: true }).waitFor();
      expect(await page.evaluate<number>("seen.size")).toBeGreaterThan(3);
      await messages().getByText("You said: Say hello").waitFor();
      await page.getByRole("heading", { level: 1, name: "Say hello" }).waitFor();
      await runs().getByText("Wrote a message").waitFor();
      await runs().getByText("$0.0").first().waitFor();
      expect(await runs().innerText()).toMatch(/\d+ in, \d+ out/);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("thread");
    },
    WALK_MS,
  );

  test(
    "files are searched, and a function is answered by hand; the steps stand in the timeline",
    async () => {
      await send("Do a file search: when was the stone bridge built?");
      await runs().getByText("Called file search").waitFor();
      await runs().getByText("bridges.md").first().waitFor();
      // The second run: a thread takes no message while one is in progress.
      await runs().getByText("completed", { exact: true }).nth(1).waitFor();
      await messages().getByText("built in 1871").last().waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("file-search");
      await send("get weather, please");
      await runs().getByText("wants a result").waitFor();
      await messages().getByLabel("What get_weather answers").fill("<img src=x onerror=alert(1)> sun");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("wants-a-result");
      // Nothing of it is lost with the page.
      await ada.page.reload();
      await messages().getByLabel("What get_weather answers").fill("<img src=x onerror=alert(1)> sun");
      await messages().getByRole("button", { name: "Send the result" }).click();
      await messages().getByText("get_weather answered: <img src=x onerror=alert(1)> sun").waitFor();
      await runs().getByText("→ <img src=x onerror=alert(1)> sun").waitFor();
      expect(await messages().locator("img").count()).toBe(0);
      await runs().getByText("completed", { exact: true }).nth(2).waitFor();
      await ada.screenshot("answered");
    },
    WALK_MS,
  );

  test(
    "a run is cancelled, and one that cannot be made is told in words",
    async () => {
      const { page } = ada;
      await send(`Repeat: ${"word ".repeat(300)}`);
      await messages().getByText("You said: Repeat").waitFor();
      await page.getByRole("button", { name: "Cancel the run" }).click();
      await runs().getByText("cancelled", { exact: true }).waitFor();
      await messages().getByText("This run was cancelled.").waitFor();
      await ada.screenshot("cancelled");
      const threads = page.getByRole("table", { name: "Threads" });
      await page.getByRole("link", { name: "Assistants", exact: true }).click();
      await page.getByRole("button", { name: /^Delete / }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByRole("heading", { name: "No assistants yet" }).waitFor();
      await page.getByRole("link", { name: "Threads", exact: true }).click();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("threads");
      await threads.getByRole("link", { name: /^Say hello/ }).click();
      await page.getByText("There is no assistant to talk to").waitFor();
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByRole("heading", { name: "No threads yet" }).waitFor();
      await ada.goTo("/ui/threads/thread_nobody");
      await page.getByText(/^Request/).waitFor();
    },
    WALK_MS,
  );

  test("nothing went wrong on the way", () => {
    expect(ada.faults).toEqual([]);
  });
});

const MARKUP = "Guide <img src=x onerror=alert(1)>";
const BRIDGES = {
  name: "bridges.md",
  mimeType: "text/markdown",
  buffer: Buffer.from("# Bridges\n\nThe stone bridge over the river was built in 1871 by the town itself.\n"),
};

/** Runs in the browser: how many different lengths the conversation had on the screen while it came. */
const watchMessages = `
  const log = document.querySelector('[role="log"]');
  globalThis.seen = new Set();
  new MutationObserver(() => seen.add(log.textContent.length)).observe(log, {
    subtree: true, childList: true, characterData: true,
  });
`;

const CONFIG = `
model_list:
  - model_name: large
    litellm_params: { model: echo/chat, input_cost_per_token: 0.00002, output_cost_per_token: 0.00008, echo_fault: { token_delay_ms: 30 } }
  - model_name: vectors
    litellm_params: { model: echo/embedding, input_cost_per_token: 0.000001 }
    model_info: { mode: embedding }
general_settings: { signup_credits: 5 }
`;
