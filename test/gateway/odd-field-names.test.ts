import { describe, expect, test } from "bun:test";
import { startBooked } from "../metering/booked-app.ts";
import { formsOf, type Parts, startFormUpstream } from "./form-upstream.ts";

const upstream = startFormUpstream([() => Response.json({ text: "a" })]);
const litellm_params = { model: "openai/mine", api_base: `${upstream.origin}/v1`, api_key: "sk-upstream" };
const { app } = await startBooked(
  {
    model_list: [{ model_name: "any", litellm_params, model_info: { free: true } }],
    guardrails: [{ guardrail_name: "pii", litellm_params: { guardrail: "pii", mode: "pre_call" } }],
  },
  upstream,
);
const key = app.first.demoKey ?? "";
const formOf = formsOf("audio/mpeg");
const sound: Parts[number] = ["file", [Buffer.from("sound"), "a.mp3"]];
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture: Parts[number] = ["image", [png, "a.png", "image/png"]];
const send = (path: string, parts: Parts) => app.call(path, { key, body: formOf(parts) });
const HEARING = ["/v1/audio/transcriptions", "/v1/audio/translations"];

describe("a field whose name objects have already", () => {
  const odd: Parts = [
    ["__proto__", "one"],
    ["constructor", "two"],
    ["toString", "three"],
    ["hasOwnProperty", "four"],
  ];
  const arrived = () =>
    [
      ...(upstream.seen.at(-1)?.body ?? "").matchAll(
        /form-data; name="(__proto__|constructor|toString|hasOwnProperty)"\r\n\r\n(.*)\r\n/g,
      ),
    ].map(([, name, value]) => [name, value] as [string, string]);

  test.each(HEARING)("arrives as any other that is unknown: %s", async (path) => {
    upstream.answer(() => Response.json({ text: "a", usage: { type: "duration", seconds: 1 } }));
    for (const guardrails of ["[]", '["pii"]']) {
      const parts: Parts = [sound, ["model", "any"], ["guardrails", guardrails], ["prompt", "me@example.com"], ...odd];
      expect((await send(path, parts)).status).toBe(200);
      expect(arrived()).toEqual(odd as [string, string][]);
    }
  });

  test("arrives as any other that is unknown: edits", async () => {
    upstream.answer(() => Response.json({ data: [{ b64_json: "aaaa" }] }));
    const parts: Parts = [picture, ["model", "any"], ["prompt", "a lake"], ...odd];
    expect((await send("/v1/images/edits", parts)).status).toBe(200);
    expect(arrived()).toEqual(odd as [string, string][]);
  });

  test("brings no other fields with it, in JSON either", async () => {
    upstream.answer(() => Response.json({ data: [{ b64_json: "aaaa" }] }));
    const body = '{"model":"any","prompt":"a lake","__proto__":{"n":7,"size":"1x1"},"constructor":"x"}';
    const headers = { "content-type": "application/json" };
    const response = await app.call("/v1/images/generations", { key, body, headers });
    expect(response.status).toBe(200);
    const sent = upstream.seen.at(-1)?.body ?? "";
    expect(sent).toBe('{"model":"mine","prompt":"a lake","constructor":"x"}');
  });
});
