import { expect, test } from "bun:test";
import { join } from "node:path";

const TO_CHAT = JSON.stringify(join(import.meta.dir, "to-chat.ts"));

/** A process of its own can be ended while it reads: it has 20 seconds for what takes one. */
const read = (contents: string): string => {
  const code = `
    const { toChat } = await import(${TO_CHAT});
    const many = (make) => Array.from({ length: 100_000 }, (_, at) => make(at, 99_999 - at));
    const { messages } = toChat("m", { contents: [{ parts: [{ text: "a" }] }, ${contents}] }, false);
    console.log(messages.length);`;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", code], { timeout: 20_000 });
  return stdout.toString().trim();
};

// A conversation is read before anybody looks at the credit of its caller.
test.each([
  [
    "results in the other order than their calls",
    `{ role: "model", parts: many((at) => ({ functionCall: { id: "c" + at, name: "f" } })) },
     { parts: many((_, last) => ({ functionResponse: { id: "c" + last, name: "f" } })) }`,
    "100002",
  ],
  [
    "results that are known by their names",
    `{ role: "model", parts: many((at) => ({ functionCall: { name: "f" + at } })) },
     { parts: many((_, last) => ({ functionResponse: { name: "f" + last } })) }`,
    "100002",
  ],
  [
    "calls of one function whose results have ids and have none",
    `{ role: "model", parts: many((at) => ({ functionCall: { id: "c" + at, name: "f" } })) },
     { parts: many((at) => ({ functionResponse: { ...(at % 2 && { id: "c" + at }), name: "f" } })) }`,
    "100002",
  ],
  [
    "thoughts with seals",
    `{ role: "model", parts: many(() => ({ text: "a", thought: true, thoughtSignature: "R29v" })) },
     { role: "model", parts: [{ text: "b" }] }`,
    "2",
  ],
])("a hundred thousand parts are read one by one: %s", (_, contents, messages) => {
  expect(read(contents)).toBe(messages);
});
