import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;

describe.skipIf(browserMissing !== null)("files and vector stores, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("files", {}, CONFIG);
    ada = await walk.owner("ada@example.com", "Ada");
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  test(
    "a file is uploaded with the first key, downloaded as it was, and deleted",
    async () => {
      const { page } = ada;
      await page.getByRole("link", { name: "Files", exact: true }).click();
      await page.getByRole("button", { name: "Make one and begin" }).click();
      await page.getByRole("heading", { name: "No files yet" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("no-files");
      await page.locator("input[type=file]").first().setInputFiles([BRIDGES, MARKUP]);
      const table = page.getByRole("table", { name: "Files" });
      await table.getByText("bridges.md").waitFor();
      // What people name their files is never markup.
      await table.getByText(MARKUP.name).waitFor();
      expect(await table.locator("img").count()).toBe(0);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("files");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download bridges.md" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("bridges.md");
      expect(await Bun.file(await download.path()).text()).toBe(BRIDGES.buffer.toString());
      await page.getByRole("button", { name: `Delete ${MARKUP.name}` }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await table.getByText(MARKUP.name).waitFor({ state: "detached" });
      // Twenty at a time; the others follow when they are asked for.
      await page.locator("input[type=file]").first().setInputFiles(MANY);
      await table.getByText(MANY.at(-1)?.name ?? "").waitFor();
      expect(await table.getByText("bridges.md").count()).toBe(0);
      await page.getByRole("button", { name: "Show more" }).click();
      await table.getByText("bridges.md").waitFor();
      await page.getByRole("combobox", { name: "Purpose" }).click();
      await page.getByRole("option", { name: "Vision" }).click();
      await page.getByRole("heading", { name: "No file with this purpose" }).waitFor();
    },
    WALK_MS,
  );

  test(
    "a batch is carried out, its answers downloaded, and a file that is none is told what is wrong with it",
    async () => {
      const { page } = ada;
      await page.getByRole("link", { name: "Batches", exact: true }).click();
      await page.getByRole("heading", { name: "No batches yet" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("no-batches");
      const table = page.getByRole("table", { name: "Batches" });
      const carryOut = async (name: string, lines: string): Promise<void> => {
        await page.getByRole("button", { name: "New batch" }).first().click();
        const dialog = page.getByRole("dialog", { name: "New batch" });
        const chooser = page.waitForEvent("filechooser");
        await dialog.getByText("calls.jsonl").click();
        await (await chooser).setFiles({ name, mimeType: "application/jsonl", buffer: Buffer.from(lines) });
        await dialog.getByRole("button", { name: "Carry out" }).click();
        await dialog.waitFor({ state: "detached" });
      };
      await carryOut("good.jsonl", call("one", "echo"));
      await table.getByText("completed").waitFor();
      // A small phone, and no further words in the column that would make room for its state.
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await ada.cutOff()).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 860 });
      await carryOut("calls.jsonl", [call("one", "echo"), call("two", "nothing-like-this")].join("\n"));
      const half = table.getByRole("row").filter({ hasText: "calls.jsonl" });
      await half.getByText("completed").waitFor();
      await half.getByText("2 of 2").waitFor();
      await half.getByText("1 failed").waitFor();
      const [answers] = await Promise.all([
        page.waitForEvent("download"),
        half.getByRole("button", { name: "Download answers" }).click(),
      ]);
      expect(await Bun.file(await answers.path()).text()).toContain("You said: one");
      const [failures] = await Promise.all([
        page.waitForEvent("download"),
        half.getByRole("button", { name: "Download failures" }).click(),
      ]);
      expect(await Bun.file(await failures.path()).text()).toContain("model_not_found");
      await table.getByText("calls.jsonl").click();
      const drawer = page.getByRole("dialog", { name: "Batch" });
      await drawer.getByText("2 of 2").waitFor();
      const [again] = await Promise.all([
        page.waitForEvent("download"),
        drawer.getByRole("button", { name: /^Download batch_.*_output\.jsonl$/ }).click(),
      ]);
      expect(await Bun.file(await again.path()).text()).toContain("You said: one");
      expect(await ada.axe()).toEqual([]);
      await page.goBack();
      await drawer.waitFor({ state: "hidden" });
      await carryOut("bad.jsonl", Array(3).fill('{"custom_id": 1').join("\n"));
      await table.getByText("Line 1:").waitFor();
      await table.getByText("And 2 more faults.").click();
      const faults = drawer.getByRole("region", { name: "Faults" }).getByRole("listitem");
      await faults.nth(2).waitFor();
      const said = "This line is not parseable as a JSON object.";
      expect(await faults.allInnerTexts()).toEqual([1, 2, 3].map((line) => `Line ${line}: ${said}`));
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("batch");
      await drawer.getByRole("button", { name: "Close" }).click();
      await drawer.waitFor({ state: "hidden" });
      // Called as people know them; on a phone, too, their address breaks where it may.
      for (const name of ["calls.jsonl", "bad.jsonl"]) await table.getByText(name).waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      expect((await ada.brokenWords()).filter((word) => /chat|completions/.test(word))).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 860 });
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("batches");
    },
    WALK_MS,
  );

  test(
    "a vector store is made, filled, searched and deleted",
    async () => {
      const { page } = ada;
      await page.getByRole("link", { name: "Vector stores", exact: true }).click();
      await page.getByRole("heading", { name: "No vector stores yet" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("no-stores");
      await page.getByRole("button", { name: "New vector store" }).first().click();
      const dialog = page.getByRole("dialog", { name: "New vector store" });
      await dialog.getByLabel("Name").fill(" ");
      await dialog.getByRole("button", { name: "Create" }).click();
      await dialog.getByText("Give it a name.").waitFor();
      await dialog.getByLabel("Name").fill("Handbook");
      await dialog.getByLabel("Description").fill("What we know of bridges and bread");
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("new-store");
      await dialog.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { level: 1, name: "Handbook" }).waitFor();
      await page.getByRole("link", { name: "All vector stores" }).waitFor();
      await page.getByRole("heading", { name: "No files in it yet" }).waitFor();
      await page.getByRole("button", { name: "Add existing" }).click();
      const add = page.getByRole("dialog", { name: "Add files that are uploaded already" });
      await add.getByRole("combobox", { name: "Files" }).click();
      await page.getByRole("option", { name: /bridges\.md/ }).click();
      await add.getByRole("combobox", { name: "Files" }).press("Tab");
      await add.getByRole("button", { name: "Add", exact: true }).click();
      await page.locator("input[type=file]").first().setInputFiles([BREAD, NO_TEXT]);
      const files = page.getByRole("table", { name: "Files of this store" });
      for (const name of ["bridges.md", "bread.txt"]) {
        await files.getByRole("row", { name }).getByText("ready").waitFor();
      }
      await files.getByRole("row", { name: "broken.pdf" }).getByText("failed").waitFor();
      await page.getByRole("searchbox", { name: "What to look for" }).fill("When was the stone bridge built?");
      await page.getByRole("button", { name: "Search", exact: true }).click();
      const passages = page.getByRole("list", { name: "Passages" });
      await passages.getByText("built in 1871").waitFor();
      expect(await passages.getByRole("listitem").first().innerText()).toMatch(/bridges\.md[\s\S]*0\.\d{3}/);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("store");
      await files.getByRole("row", { name: "broken.pdf" }).getByRole("button", { name: "Take the file out" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Take out" }).click();
      await files.getByText("broken.pdf").waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Vector stores", exact: true }).click();
      await page
        .getByRole("row", { name: /Handbook/ })
        .getByText("2", { exact: true })
        .waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("stores");
      await page.getByRole("button", { name: "Delete Handbook" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByRole("heading", { name: "No vector stores yet" }).waitFor();
    },
    WALK_MS,
  );

  test("nothing went wrong on the way", () => {
    expect(ada.faults).toEqual([]);
  });
});

const fileOf = (name: string, mimeType: string, text: string) => ({ name, mimeType, buffer: Buffer.from(text) });
const BRIDGES = fileOf(
  "bridges.md",
  "text/markdown",
  "# Bridges\n\nThe stone bridge over the river was built in 1871 by the town itself.\n\nThe iron bridge came later.\n",
);
const BREAD = fileOf("bread.txt", "text/plain", "Bread wants flour, water, salt and a long night of rest.\n");
const NO_TEXT = fileOf("broken.pdf", "application/pdf", "%PDF-1.4 this is not one");
const MANY = Array.from({ length: 22 }, (_, at) => fileOf(`note-${at + 1}.txt`, "text/plain", `Note ${at + 1}`));
const MARKUP = fileOf("<img src=x onerror=alert(1)>.txt", "text/plain", "x");

const CONFIG = `
model_list:
  - model_name: large
    litellm_params: { model: echo/chat, input_cost_per_token: 0.00002, output_cost_per_token: 0.00008 }
  - model_name: vectors
    litellm_params: { model: echo/embedding, input_cost_per_token: 0.000001 }
    model_info: { mode: embedding }
general_settings: { signup_credits: 5 }
`;

const call = (id: string, model: string): string =>
  JSON.stringify({
    custom_id: id,
    method: "POST",
    url: "/v1/chat/completions",
    body: { model, messages: [{ role: "user", content: id }] },
  });
