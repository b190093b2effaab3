import {
  type CodeTarget,
  keyForCurl,
  keyInTypeScript,
  pythonClient,
  typeScriptClient,
} from "../../components/key-in-code.ts";
import { shellQuoted } from "../../components/shell-quoted.ts";

/** Ready calls of a model, as text. What stands in them was typed by somebody: it is quoted as each language wants it. */
export interface Example {
  readonly language: string;
  readonly code: string;
}

interface Kind {
  readonly path: string;
  readonly body: (model: string) => Record<string, unknown>;
  readonly python: (model: string) => string;
  readonly typescript: (model: string) => string;
}

const quoted = (text: string): string => JSON.stringify(text);
const HELLO = "Say hello in three languages.";

const chat: Kind = {
  path: "/v1/chat/completions",
  body: (model) => ({ model, messages: [{ role: "user", content: HELLO }] }),
  python: (model) => `answer = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": "${HELLO}"}],
)
print(answer.choices[0].message.content)`,
  typescript: (model) => `const answer = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: "user", content: "${HELLO}" }],
});
console.log(answer.choices[0].message.content);`,
};

const KINDS: Readonly<Record<string, Kind>> = {
  chat,
  completion: {
    path: "/v1/completions",
    body: (model) => ({ model, prompt: "Once upon a time" }),
    python: (model) => `answer = client.completions.create(model=${quoted(model)}, prompt="Once upon a time")
print(answer.choices[0].text)`,
    typescript: (
      model,
    ) => `const answer = await client.completions.create({ model: ${quoted(model)}, prompt: "Once upon a time" });
console.log(answer.choices[0].text);`,
  },
  embedding: {
    path: "/v1/embeddings",
    body: (model) => ({ model, input: ["red", "crimson"] }),
    python: (model) => `answer = client.embeddings.create(model=${quoted(model)}, input=["red", "crimson"])
print(len(answer.data[0].embedding))`,
    typescript: (
      model,
    ) => `const answer = await client.embeddings.create({ model: ${quoted(model)}, input: ["red", "crimson"] });
console.log(answer.data[0].embedding.length);`,
  },
  image: {
    path: "/v1/images/generations",
    body: (model) => ({ model, prompt: "A toll road at dawn" }),
    python: (model) => `answer = client.images.generate(model=${quoted(model)}, prompt="A toll road at dawn")
print(answer.data[0])`,
    typescript: (
      model,
    ) => `const answer = await client.images.generate({ model: ${quoted(model)}, prompt: "A toll road at dawn" });
console.log(answer.data?.[0]);`,
  },
  audio_speech: {
    path: "/v1/audio/speech",
    body: (model) => ({ model, voice: "alloy", input: "Good morning." }),
    python: (model) => `with client.audio.speech.with_streaming_response.create(
    model=${quoted(model)}, voice="alloy", input="Good morning."
) as answer:
    answer.stream_to_file("morning.mp3")`,
    typescript: (model) => `const answer = await client.audio.speech.create({
  model: ${quoted(model)},
  voice: "alloy",
  input: "Good morning.",
});
const { writeFile } = await import("node:fs/promises");
await writeFile("morning.mp3", Buffer.from(await answer.arrayBuffer()));`,
  },
  moderation: {
    path: "/v1/moderations",
    body: (model) => ({ model, input: "A friendly sentence." }),
    python: (model) => `answer = client.moderations.create(model=${quoted(model)}, input="A friendly sentence.")
print(answer.results[0].flagged)`,
    typescript: (
      model,
    ) => `const answer = await client.moderations.create({ model: ${quoted(model)}, input: "A friendly sentence." });
console.log(answer.results[0].flagged);`,
  },
};

export function examplesOf(type: string, model: string, target: CodeTarget): Example[] {
  if (type === "audio_transcription") return [{ language: "curl", code: transcription(model, target) }];
  if (type === "rerank") return [{ language: "curl", code: curl("/v1/rerank", rerank(model), target) }];
  if (type === "realtime") return [{ language: "TypeScript", code: session(model, target) }];
  const kind = KINDS[type] ?? chat;
  return [
    { language: "curl", code: curl(kind.path, kind.body(model), target) },
    { language: "Python", code: pythonClient(target) + kind.python(model) },
    { language: "TypeScript", code: typeScriptClient(target) + kind.typescript(model) },
  ];
}

const curl = (path: string, body: object, target: CodeTarget): string =>
  `curl ${target.origin}${path} \\\n  ${keyForCurl(target)} \\\n  -H "Content-Type: application/json" \\\n  -d ${shellQuoted(JSON.stringify(body, null, 2))}`;

const rerank = (model: string) => ({
  model,
  query: "toll roads",
  documents: ["A road with a gate.", "A bowl of soup."],
});

/** A browser runs it as well: the key stands where no header is needed. */
const session = (model: string, target: CodeTarget): string => {
  const address = `${target.origin.replace(/^http/, "ws")}/v1/realtime?model=${encodeURIComponent(model)}`;
  return `const key = ${keyInTypeScript(target)};
const socket = new WebSocket(${quoted(address)}, ["realtime", \`openai-insecure-api-key.\${key}\`]);
socket.onopen = () => {
  const content = [{ type: "input_text", text: "${HELLO}" }];
  socket.send(JSON.stringify({ type: "conversation.item.create", item: { type: "message", role: "user", content } }));
  socket.send(JSON.stringify({ type: "response.create", response: { output_modalities: ["text"] } }));
};
socket.onmessage = ({ data }) => {
  const event = JSON.parse(data);
  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);
  if (event.type === "response.done") socket.close();
};`;
};

const transcription = (model: string, target: CodeTarget): string =>
  `curl ${target.origin}/v1/audio/transcriptions \\\n  ${keyForCurl(target)} \\\n  -F file=@speech.mp3 \\\n  -F model=${shellQuoted(model)}`;
