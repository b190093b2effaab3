// `bun ping.ts PORT PATH`: sends a cheap request again and again, a millisecond after each response. It is a separate
// process, because a client that also reads large responses would measure itself. It ends with its standard input and
// prints the times that it waited (JSON).

import { ResponseReader } from "./response-reader.ts";

const [port = "", path = "/"] = process.argv.slice(2);
const STEP_MS = 1;
const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`;
const waitsMs: number[] = [];
const reader = new ResponseReader();
let sentAt = 0;
let fault: string | null = null;

const socket = await Bun.connect({
  hostname: "127.0.0.1",
  port: Number(port),
  socket: {
    data: (_, bytes) => {
      const response = reader.push(bytes, () => undefined);
      if (!response) return;
      waitsMs.push(performance.now() - sentAt);
      if (response.status !== 200) fault = `${path} has status ${response.status}`;
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
