import { EMBEDDING_INPUTS, PLAIN_TEXT, STREAMED_TEXT } from "../responses.ts";

type Check = (body: Buffer) => boolean;

/** One in so many responses is read; of the others, the length is compared. */
const READ_EVERY = 20;

const WHOLE: Readonly<Record<string, Check>> = {
  chat: (body) => {
    const { choices, usage } = JSON.parse(body.toString()) as {
      choices: { message: { content: string } }[];
      usage: { completion_tokens: number };
    };
    return choices[0]?.message.content === PLAIN_TEXT && usage.completion_tokens === 60;
  },
  stream: (body) => {
    const text = body.toString();
    let said = "";
    for (const [, data = ""] of text.matchAll(/^data: (\{.*)$/gm)) {
      const { choices } = JSON.parse(data) as { choices?: { delta?: { content?: string | null } }[] };
      said += choices?.[0]?.delta?.content ?? "";
    }
    return said === STREAMED_TEXT && text.trimEnd().endsWith("data: [DONE]");
  },
  embeddings: (body) => {
    const { data } = JSON.parse(body.toString()) as { data: { embedding: number[] }[] };
    return data.length === EMBEDDING_INPUTS && data.every(({ embedding }) => embedding.length === 1_536);
  },
};

/**
 * Checks that a response is right. The first and some others are read. The rest must have the length of a right one,
 * which costs the client nothing.
 */
export function newCheck(name: string): Check {
  const whole = WHOLE[name];
  if (!whole) throw new Error(`Unknown check ${name}.`);
  const lengths = new Set<number>();
  let count = 0;
  return (body) => {
    if (count++ % READ_EVERY !== 0 && lengths.has(body.length)) return true;
    try {
      if (!whole(body)) return false;
    } catch {
      return false;
    }
    lengths.add(body.length);
    return true;
  };
}
