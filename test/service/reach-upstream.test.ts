import { afterAll, describe, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import { connectionReason } from "../../src/providers/connection-reason.ts";
import { connectOnce } from "../../src/providers/network.ts";
import { MASTER_KEY, startApp } from "../app.ts";

const servers: Pick<Server, "close">[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** The package brings a certificate that nobody has signed. */
function withOwnCertificate(): Server {
  const speaking = new SMTPServer({ secure: true });
  speaking.on("error", () => undefined);
  return speaking.server;
}

describe("an upstream of TLS is reached", () => {
  const patient = new AbortController().signal;
  const to = (port: number) => ({ host: "127.0.0.1", port, isTls: true });

  test("when its handshake is done, whoever signed its certificate", async () => {
    await connectOnce(to(await listening(withOwnCertificate())), patient);
  });

  test("not while it is silent in the handshake", async () => {
    const began = Promise.withResolvers<void>();
    const port = await listening(createServer((socket: Socket) => void socket.once("data", () => began.resolve())));
    const waiting = new AbortController();
    const reached = connectOnce(to(port), waiting.signal).then(
      () => "reached",
      (thrown) => connectionReason(thrown),
    );
    await began.promise;
    waiting.abort(new DOMException("too long", "TimeoutError"));
    expect(await reached).toContain("silent in the TLS handshake");
  });

  test("also when it refuses the handshake or hangs up: the call tells what is wrong", async () => {
    await connectOnce(
      to(await listening(createServer((socket) => void socket.end("HTTP/1.1 400 No\r\n\r\n")))),
      patient,
    );
    await connectOnce(to(await listening(createServer((socket) => void socket.destroy()))), patient);
  });
});

describe("a model that is tried by an administrator", () => {
  test("says why it cannot be reached", async () => {
    const closing = await listening(createServer((socket) => void socket.destroy()));
    const plain = await listening(createServer((socket) => void socket.end("HTTP/1.1 400 No\r\n\r\n")));
    const ownCertificate = await listening(withOwnCertificate());
    const bases = {
      nobody: "http://127.0.0.1:9/v1",
      closing: `http://127.0.0.1:${closing}/v1`,
      plain: `https://127.0.0.1:${plain}/v1`,
      certificate: `https://127.0.0.1:${ownCertificate}/v1`,
    };
    const app = await startApp(
      `model_list:\n${Object.entries(bases)
        .map(
          ([name, base]) =>
            `  - model_name: ${name}\n    litellm_params: {model: openai/m, api_base: "${base}", api_key: sk-1}\n`,
        )
        .join("")}`,
    );
    const reasonOf = async (name: string): Promise<string> => {
      const { data } = (await (await app.call(`/api/admin/models?search=${name}`, { key: MASTER_KEY })).json()) as {
        data: { id: string }[];
      };
      const response = await app.call(`/api/admin/models/${data[0]?.id}/test`, { method: "POST", key: MASTER_KEY });
      return ((await response.json()) as { error: string }).error;
    };
    expect(await reasonOf("nobody")).toBe(
      "The provider cannot be reached: nothing listens there (connection refused).",
    );
    expect(await reasonOf("closing")).toContain("closed before an answer came");
    expect(await reasonOf("plain")).toContain("does not speak TLS");
    expect(await reasonOf("certificate")).toContain("its certificate");
    await app.close();
  });
});
