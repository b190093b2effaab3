/** What Anthropic calls its own things, through whichever cloud. No words fit in: it is one run of letters and digits. */
const called = (kinds: string): RegExp => new RegExp(`^(?:${kinds})_(?:bdrk_|vrtx_)?[A-Za-z0-9]{8,64}$`);
const SEALED = /^[A-Za-z0-9+/]{20,}={0,2}$/;

/** Fields by which a provider finds what it has made itself, or that it has sealed: changed, the call would fail. */
const FORMS: ReadonlyMap<string, RegExp> = new Map([
  ["container", called("container")],
  ["skill_id", called("skill")],
  ["tool_id", called("toolu|srvtoolu")],
  ["previous_message_id", called("msg")],
  ["previous_response_id", called("resp")],
  ["encrypted_index", SEALED],
  ["encrypted_stdout", SEALED],
]);

/** Whether a field holds such a thing: the name alone is not enough, or any text could go under it. */
export const isProviderId = (name: string, value: unknown): boolean =>
  typeof value === "string" && FORMS.get(name)?.test(value) === true;
