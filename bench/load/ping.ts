// `bun ping.ts PORT PATH`: asks for something that costs nothing, again and again, a millisecond after each answer. A process of
// its own, since one that also reads large answers would measure itself. Ends with its standard input and prints the waits (JSON).

import { AnswerReader } from "./http-answer.ts";

const [port = "", path = "/"] = process.argv.slice(2);
const STEP_MS = 1;
const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`;
const waitsMs: number[] = [];
const reader = new AnswerReader();
let sentAt = 0;
let fault: string | null = null;

const socket = await Bun.connect({
  hostname: "127.0.0.1",
  port: Number(port),
  socket: {
    data: (_, bytes) => {
      const answer = reader.push(bytes, () => undefined);
      if (!answer) return;
      waitsMs.push(performance.now() - sentAt);
      if (answer.status !== 200) fault = `${path} answered ${answer.status}`;
      setTimeout(send, STEP_MS);
    },
    error: () => undefined,
  },
});
send();
await new Response(Bun.stdin.stream()).text();
console.log(JSON.stringify({ waitsMs: waitsMs.toSorted((a, b) => a - b), fault }));
process.exit(0);

function send(): void {
  sentAt = performance.now();
  socket.write(request);
}
