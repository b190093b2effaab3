import { expect, test } from "bun:test";
import { PrecompressedResponse } from "./precompressed-response.ts";

const asked = (headers: Record<string, string> = {}): Request => new Request("http://host/x", { headers });

test.each([{}, { "accept-encoding": "gzip" }])(
  "what could not be read once is read again, for whoever sends %j",
  async (headers) => {
    let readable = false;
    const load = () => {
      if (!readable) throw new Error("away");
      return Buffer.from("words");
    };
    const answer = new PrecompressedResponse(load, {});
    expect(await answer.to(asked(headers)).catch(String)).toBe("Error: away");
    readable = true;
    const first = (await answer.to(asked(headers))) as Response;
    expect([first.status, first.headers.get("vary")]).toEqual([200, "accept-encoding"]);
    // Also where its tag is known and its encoding could not be made.
    const other = new PrecompressedResponse(load, {});
    await other.to(asked());
    readable = false;
    expect(await other.to(asked({ "accept-encoding": "br" })).catch(String)).toBe("Error: away");
    readable = true;
    expect(((await other.to(asked({ "accept-encoding": "br" }))) as Response).headers.get("content-encoding")).toBe(
      "br",
    );
  },
);
