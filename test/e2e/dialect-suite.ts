import type { Reply, Script, Seen } from "../upstreams/script.ts";

/** What the fake model says, by words of the user: the same for every wire format. */
export const script: Script & { readonly seen: Seen[] } = {
  seen: [],
  reply(seen) {
    this.seen.push(seen);
    return replyTo(seen);
  },
};

const WEATHER = { name: "get_weather", arguments: { city: "Paris" } };
const TIME = { name: "get_time", arguments: { zone: "Europe/Paris" } };

function replyTo(seen: Seen): Reply {
  const text = seen.userText;
  const failure = /^fail (\w+)/.exec(text)?.[1] as Reply["failure"];
  if (failure) return { failure };
  const [, broken, after = "3"] = /^(cut|break)(?: after (\d+))?/.exec(text) ?? [];
  if (broken) {
    return { text: "one two three four five six", [broken === "cut" ? "cutAfter" : "errorAfter"]: Number(after) };
  }
  if (seen.toolResults.length > 0)
    return { text: `The tools said: ${seen.toolResults.join(" and ")}`, usage: { input: 30, output: 7 } };
  if (text.startsWith("both tools")) return { toolCalls: [WEATHER, TIME], usage: { input: 20, output: 9 } };
  if (text.startsWith("use the tool")) return { toolCalls: [WEATHER], usage: { input: 20, output: 5 } };
  if (text.startsWith("think")) {
    const [, about = ""] = /^think( about .*)/.exec(text) ?? [];
    return {
      reasoning: `Let me think${about}.`,
      text: "Done thinking.",
      usage: { input: 10, output: 8, reasoning: 4 },
    };
  }
  if (text.startsWith("picture")) return { text: `I see ${seen.images} picture(s).`, usage: { input: 99, output: 5 } };
  if (text.startsWith("system")) return { text: `My orders: ${seen.systemText}`, usage: { input: 12, output: 4 } };
  if (text.startsWith("cached"))
    return { text: "From the cache.", usage: { input: 10, output: 3, cacheRead: 50, cacheWrite: 20 } };
  if (text.startsWith("long")) return { text: "This is too", finish: "length", usage: { input: 5, output: 3 } };
  if (text.startsWith("as json"))
    return { text: '{"city":"Paris","population":2100000}', usage: { input: 15, output: 9 } };
  return { text: `Echo of "${text}", with ünïcode ✓.`, usage: { input: 11, output: 6 } };
}

/** A picture of one pixel. */
export const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const TOOLS = [
  {
    type: "function" as const,
    function: {
      name: "get_weather",
      description: "Tells the weather of a city.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
  {
    type: "function" as const,
    function: {
      name: "get_time",
      description: "Tells the time in a zone.",
      parameters: { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] },
    },
  },
];
