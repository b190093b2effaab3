import { describe, expect, test } from "bun:test";
import { parseCallback, tellBack } from "./callback-address.ts";

const back = (text: string) => tellBack(parseCallback(text), { code: "c", state: "a b" });

describe("the address that an app wants to be told at", () => {
  test.each([
    ["https://app.example", "https://app.example/?code=c&state=a+b"],
    ["https://app.example/?", "https://app.example/?code=c&state=a+b"],
    ["https://app.example/x?a=%20+&", "https://app.example/x?a=%20+&code=c&state=a+b"],
    ["https://app.example/x?a", "https://app.example/x?a&code=c&state=a+b"],
    ["HTTPS://App.Example:8443/x", "https://app.example:8443/x?code=c&state=a+b"],
    ["http://localhost/x?encode=1", "http://localhost/x?encode=1&code=c&state=a+b"],
  ])("%s stays as it is, and is added to", (text, told) => {
    expect(back(text)).toBe(told);
  });

  test.each([
    ["https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com", false],
    ["https://аррӏе.com/", "xn--80ak6aa92e.com", false],
    ["https://localhost/", "localhost", false],
    ["http://127.1:80/", "127.0.0.1", true],
    ["http://[::1]:3000/", "[::1]:3000", true],
  ])("%s is shown as what a browser goes to", (text, host, isLocal) => {
    expect(parseCallback(text)).toMatchObject({ host, isLocal });
  });

  test.each([
    "",
    "app.example",
    "/back",
    "https:app.example",
    "https:///app.example",
    "https:///user@app.example",
    "http://0.0.0.0/",
    "http://10.0.0.1/",
    "http://localhost./",
    "http://127.0.0.1.evil.example/",
    "http://evil.example/127.0.0.1",
    "ftp://localhost/",
    "javascript://localhost/%0aalert(1)",
    "https://a@b.example/",
    "https://:@b.example/",
    "https://b.example/?error=1",
    "https://b.example/?%63ode=1",
    "https://b.example/ ",
    "https://b.example/\u0000",
    "https://b.example/\u2028",
  ])("%p is none", (text) => {
    expect(() => parseCallback(text)).toThrow(/^callback_url: /);
  });
});
