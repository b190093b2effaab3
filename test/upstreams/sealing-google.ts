// Google's models as they seal what they thought: on their calls, and behind their words.

type Fields = Record<string, unknown>;
type Turn = { readonly role: string; readonly parts: readonly Fields[] };

export const CALLS = [
  { functionCall: { id: "fc1", name: "get_weather", args: { city: "Paris" } }, thoughtSignature: "c2VhbCBvZiBjYWxs" },
  { functionCall: { id: "fc2", name: "get_time", args: { zone: "Europe/Paris" } } },
];
const THOUGHT = { text: "Hm.", thought: true };
/** A part with its own text and a seal without any, as Google streams it. */
const SPOKEN = [{ text: "Let me see." }, { text: "", thoughtSignature: "c2VhbCBvZiB0ZXh0" }];

/** What the model says, and the parts that it has to get back for it. */
export const SAID: Record<string, readonly [said: readonly Fields[], back: readonly Fields[]]> = {
  "calls behind a thought": [[THOUGHT, ...CALLS], CALLS],
  "calls behind a thought and a text": [
    [THOUGHT, ...SPOKEN, ...CALLS],
    [{ text: "Let me see.", thoughtSignature: "c2VhbCBvZiB0ZXh0" }, ...CALLS],
  ],
  "calls alone": [CALLS, CALLS],
  "a text behind a thought": [[THOUGHT, ...SPOKEN], [{ text: "Let me see.", thoughtSignature: "c2VhbCBvZiB0ZXh0" }]],
  "a text alone": [SPOKEN, [{ text: "Let me see.", thoughtSignature: "c2VhbCBvZiB0ZXh0" }]],
};

/** Says what it is told to, and keeps what it was asked last. */
export class SealingGoogle {
  parts: readonly Fields[] = [];
  contents: readonly Turn[] = [];

  readonly answer = async (request: Request): Promise<Response> => {
    ({ contents: this.contents } = (await request.json()) as { contents: Turn[] });
    const answer = (some: readonly Fields[], more: object = {}) => ({
      candidates: [{ content: { role: "model", parts: some }, index: 0, ...more }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
    });
    if (!request.url.includes("streamGenerateContent"))
      return Response.json(answer(this.parts, { finishReason: "STOP" }));
    const events = [...this.parts.map((part) => answer([part])), answer([], { finishReason: "STOP" })];
    const body = events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join("");
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}
