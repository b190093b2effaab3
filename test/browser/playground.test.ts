import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { browserMissing } from "./chromium.ts";
import { PASSWORD, type Visitor, Walk } from "./walk.ts";

const WALK_MS = 120_000;

describe.skipIf(browserMissing !== null)("the playground, in a browser", () => {
  let walk: Walk;
  let ada: Visitor;
  beforeAll(async () => {
    walk = await Walk.start("playground", {}, CONFIG);
    ada = await walk.visitor();
  }, WALK_MS);
  afterAll(() => walk?.close(), WALK_MS);

  const answers = (place: number) => ada.page.getByRole("log", { name: `Answers of model ${place}` });
  const send = async (text: string) => {
    await ada.page.getByRole("textbox", { name: "Message" }).fill(text);
    // The models may not be known yet: until then nothing can be sent.
    await ada.page.locator("button:enabled", { hasText: "Send" }).last().waitFor();
    await ada.page.getByRole("textbox", { name: "Message" }).press("Enter");
  };

  test(
    "from signing up to the first streamed answer, with its cost and its time",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/signup");
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("E-mail").fill("ada@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
      await page.getByRole("button", { name: "Sign up" }).click();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      await page.getByRole("link", { name: "Playground", exact: true }).click();
      await page.getByRole("heading", { name: "You have no key yet" }).waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("no-key");
      await page.getByRole("button", { name: "Make one and begin" }).click();
      await page.getByRole("combobox", { name: "Model 1" }).waitFor();
      const pieces = await countStreamed(ada, () => send("Say hello to the whole wide world, slowly please"));
      expect(pieces).toBeGreaterThan(1);
      await answers(1).getByText("whole wide world").last().waitFor();
      await answers(1).getByText("$0.0").waitFor();
      expect(await answers(1).getByTestId("figures").innerText()).toMatch(
        /first word [\d.]+ s[\s\S]*whole [\d.]+ s[\s\S]*\d+ in, \d+ out/,
      );
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("first-answer");
    },
    WALK_MS,
  );

  test(
    "several models side by side, with parameters and a picture, and the request as code",
    async () => {
      const { page } = ada;
      await page.getByRole("button", { name: "Begin anew" }).click();
      await page.getByRole("button", { name: "Compare" }).click();
      expect(await page.getByRole("combobox", { name: "Model 2" }).inputValue()).toBe("small");
      await page.getByLabel("System").fill("You are brief.");
      await page.getByLabel("Temperature").fill("0.5");
      await page.locator("input[type=file]").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: DOT });
      await page.getByAltText("To be sent 1").waitFor();
      const sent: Record<string, unknown>[] = [];
      page.on("request", (request) => {
        if (request.url().endsWith("/v1/chat/completions")) sent.push(request.postDataJSON());
      });
      await send("What is this?");
      for (const place of [1, 2]) await answers(place).getByText("$0.0").waitFor();
      expect(sent.map(({ model }) => model).sort()).toEqual(["large", "small"]);
      expect(sent[0]).toMatchObject({
        temperature: 0.5,
        stream: true,
        messages: [{ role: "system" }, { role: "user" }],
      });
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("side-by-side");
      await page.getByRole("button", { name: "Code", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "This request as code" });
      await dialog.getByText('"Authorization: Bearer $TURNPIKE_KEY"').waitFor();
      await dialog.getByText("holds one of your keys").waitFor();
      await dialog.getByRole("tab", { name: "Python" }).click();
      await dialog.getByText("temperature=0.5").waitFor();
      await ada.screenshot("code");
      await dialog.getByRole("button", { name: "Close" }).click();
    },
    WALK_MS,
  );

  test(
    "lists, code and words without an end can be read on a phone",
    async () => {
      const { page } = ada;
      await page.getByRole("button", { name: "Remove model 2" }).click();
      await page.getByRole("button", { name: "Begin anew" }).click();
      await page.getByRole("combobox", { name: "Model 1" }).fill("small");
      const list = `1. one\n   - ${"a long point ".repeat(12)}\n   - ${"endless".repeat(30)}`;
      const code = `\`\`\`python\ndef f(x):\n    return ${"x + ".repeat(40)}x\n\`\`\``;
      await send(`${list}\n\n${code}\nDone.`);
      await answers(1).getByText("$0.0").waitFor();
      await ada.screenshot("long");
      await page.setViewportSize({ width: 390, height: 844 });
      const answer = answers(1).getByText("You said: 1. one");
      expect(await answer.textContent()).toStartWith(`You said: ${list}\n`);
      const [text, block] = [await answer.evaluate(shapeOf), await answer.locator("pre").evaluate(shapeOf)];
      expect(text).toMatchObject({ whiteSpace: "pre-wrap", isCutOff: false });
      expect(await answer.locator("pre").textContent()).toBe(code);
      // Long lines of code scroll in their own place: broken ones would look like other code.
      expect(block).toMatchObject({ whiteSpace: "pre", overflow: "auto", isCutOff: true });
      expect(block.font).toContain("monospace");
      await page.setViewportSize({ width: 1280, height: 860 });
      expect(await ada.axe()).toEqual([]);
    },
    WALK_MS,
  );

  test(
    "a tool is wanted, answered, and the model goes on; what it says is never markup",
    async () => {
      const { page } = ada;
      await page.getByRole("button", { name: "Begin anew" }).click();
      await page.getByRole("button", { name: "Put an example in" }).click();
      await send("get weather, please");
      await answers(1).getByLabel("What get_weather answers").fill("<img src=x onerror=alert(1)> sun");
      await ada.screenshot("tools");
      expect(await ada.axe()).toEqual([]);
      await answers(1).getByRole("button", { name: "Send the result" }).click();
      await answers(1).getByText("<img src=x onerror=alert(1)> sun").last().waitFor();
      expect(await answers(1).locator("img").count()).toBe(0);
    },
    WALK_MS,
  );

  test(
    "an answer is stopped half-way, and a call that fails is told in words with its request",
    async () => {
      const { page } = ada;
      await page.getByRole("button", { name: "Begin anew" }).click();
      await page.getByLabel("Tools").fill("");
      await page.getByRole("combobox", { name: "Model 1" }).fill("slow");
      await send("word ".repeat(200));
      await page.getByRole("button", { name: "Stop" }).click();
      await answers(1).getByText("stopped", { exact: true }).waitFor();
      await page.getByRole("combobox", { name: "Model 1" }).fill("nobody-has-this");
      await page.getByRole("combobox", { name: "Model 1" }).press("Escape");
      await send("Hello?");
      await answers(1).getByText("This call failed").waitFor();
      await answers(1)
        .getByText(/^Request/)
        .waitFor();
      await ada.screenshot("failed");
    },
    WALK_MS,
  );

  test(
    "pictures are drawn and words are spoken",
    async () => {
      const { page } = ada;
      await page.getByText("Images", { exact: true }).click();
      await page.getByLabel("What to draw").fill("A lighthouse");
      await page.getByRole("button", { name: "Draw" }).click();
      const drawn = page.getByRole("article", { name: "A lighthouse" });
      await drawn.getByRole("img").waitFor();
      await drawn.getByText("$0.01").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("images");
      await page.getByText("Speech", { exact: true }).click();
      await page.getByLabel("What to say").fill("Good morning");
      await page.getByRole("button", { name: "Speak" }).click();
      const spoken = page.getByRole("article", { name: "Good morning" });
      await spoken.locator("audio").waitFor();
      await spoken.getByText("$0.0").waitFor();
      expect(await spoken.locator("audio").evaluate(secondsOf)).toBeGreaterThan(0);
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("speech");
    },
    WALK_MS,
  );

  test(
    "a call that there is no credit for leads to where credit is bought",
    async () => {
      const { page } = ada;
      await ada.goTo("/ui/playground?model=dear");
      await page.getByRole("combobox", { name: "Model 1" }).waitFor();
      await send("This costs more than there is");
      await answers(1).getByText("This call failed").waitFor();
      expect(await ada.axe()).toEqual([]);
      await ada.screenshot("no-credit");
      await answers(1).getByRole("link", { name: "Go to Billing" }).click();
      await page.getByRole("heading", { level: 1, name: "Billing" }).waitFor();
    },
    WALK_MS,
  );

  test("nothing went wrong on the way", () => {
    expect(ada.faults).toEqual([]);
  });
});

interface Shape {
  readonly whiteSpace: string;
  readonly overflow: string;
  readonly font: string;
  /** Whether it is wider than its place. */
  readonly isCutOff: boolean;
}

/** Runs in the browser. */
function shapeOf(element: unknown): Shape {
  const { scrollWidth, clientWidth } = element as { scrollWidth: number; clientWidth: number };
  const { getComputedStyle } = globalThis as unknown as { getComputedStyle(element: unknown): Record<string, string> };
  const { whiteSpace = "", overflowX: overflow = "", fontFamily: font = "" } = getComputedStyle(element);
  return { whiteSpace, overflow, font, isCutOff: scrollWidth > clientWidth };
}

/** How many different lengths the answer had on the screen while it came. */
async function countStreamed({ page }: Visitor, act: () => Promise<void>): Promise<number> {
  await page.evaluate(watchAnswer);
  await act();
  await page.getByText(/whole [\d.]+ s/).waitFor();
  return page.evaluate<number>("seen.size");
}

/** Runs in the browser. */
const watchAnswer = `
  const log = document.querySelector('[role="log"]');
  globalThis.seen = new Set();
  new MutationObserver(() => seen.add(log.textContent.length)).observe(log, {
    subtree: true, childList: true, characterData: true,
  });
`;

interface Sound {
  readonly readyState: number;
  readonly error: unknown;
  readonly duration: number;
  addEventListener(event: string, listener: () => void): void;
}

/** Runs in the browser. How long the sound is, once that is known; -1 where it cannot be played. */
function secondsOf(element: unknown): Promise<number> {
  const sound = element as Sound;
  return new Promise((resolve) => {
    const tell = () => resolve(sound.error ? -1 : sound.duration);
    if (sound.readyState > 0 || sound.error) tell();
    else for (const event of ["loadedmetadata", "error"]) sound.addEventListener(event, tell);
  });
}

const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const CONFIG = `
model_list:
  - model_name: large
    litellm_params: { model: echo/chat, input_cost_per_token: 0.00002, output_cost_per_token: 0.00008, echo_fault: { token_delay_ms: 30 } }
  - model_name: small
    litellm_params: { model: echo/chat, input_cost_per_token: 0.00001, output_cost_per_token: 0.00004 }
  - model_name: slow
    litellm_params: { model: echo/chat, input_cost_per_token: 0.00001, output_cost_per_token: 0.00004, echo_fault: { token_delay_ms: 200 } }
  - model_name: dear
    litellm_params: { model: echo/chat, input_cost_per_token: 10, output_cost_per_token: 10 }
  - model_name: draw
    litellm_params: { model: echo/image }
    model_info: { mode: image_generation, output_cost_per_image: 0.01, input_cost_per_token: 0, output_cost_per_token: 0 }
  - model_name: speak
    litellm_params: { model: echo/speech }
    model_info: { mode: audio_speech, input_cost_per_character: 0.001, input_cost_per_token: 0, output_cost_per_token: 0 }
general_settings: { signup_credits: 5 }
`;
