import { afterAll, beforeAll, expect, test } from "bun:test";
import { chat, type GuardedApp, startGuarded } from "./guarded-app.ts";

let world: GuardedApp;
beforeAll(async () => {
  const webhook = { guardrail: "webhook", api_base: "$HOOK", secret: "a-secret-of-the-judge", action: "mask" };
  world = await startGuarded([
    { guardrail_name: "pii", litellm_params: { guardrail: "pii" } },
    { guardrail_name: "request", litellm_params: webhook },
    { guardrail_name: "answer", litellm_params: { ...webhook, mode: "post_call", window_chars: 300 } },
  ]);
});
afterAll(() => world.close());

/** From here on the judge finds this text. */
function finds(word: string): void {
  world.judge.answer = ({ texts }) =>
    Response.json({
      findings: texts.flatMap((text, index) =>
        Array.from(text.matchAll(new RegExp(word, "g")), ({ index: start }) => ({
          category: "name",
          index,
          start,
          end: start + word.length,
        })),
      ),
    });
}

const said = (): string => JSON.parse(world.seen.at(-1) ?? "{}").messages[0].content;

test("a place that cuts a placeholder in two has all of it, and its value comes back", async () => {
  finds("EMAIL_1");
  const { text } = await chat(world, "own", "say: to bob@example.com now", { guardrails: ["pii", "request"] });
  expect(said()).toBe("say: to [NAME_1] now");
  expect(text).toBe("to bob@example.com now");
});

test("a place that begins or ends inside a character has all of it", async () => {
  finds("\ude00 you \ud83d");
  const { text } = await chat(world, "own", "say: hi 😀 you 😁!", { guardrails: ["request"] });
  expect(said()).toBe("say: hi [NAME_1]!");
  expect(text).toBe("hi 😀 you 😁!");
});

test("what is shown to a judge once more before the next piece of a stream is found once", async () => {
  finds("SECRET");
  const answer = `${"some words ".repeat(26)}SECRET ${"and others ".repeat(40)}`;
  world.app.logged.splice(0);
  const { text } = await chat(world, "own", `say: ${answer}`, { guardrails: ["answer"], stream: true });
  expect(text).toBe(answer.replace("SECRET", "[NAME_1]"));
  const told = world.app.logged.find((line) => line.includes("guardrails found something"));
  expect(JSON.parse(told ?? "{}").found).toEqual({ answer: { name: 1 } });
});
