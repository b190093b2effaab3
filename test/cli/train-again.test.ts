import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ALLOWED } from "../training/hosted.ts";
import { Person, startPlace } from "./command-line.ts";

test("a plan is sent to a server again, however it writes the address of a participant", async () => {
  const place = await startPlace({}, ALLOWED);
  try {
    const eve = place.person();
    await eve.signUp("eve@example.com");
    const addresses = ["http://LocalHost:5000/", "http://127.1:5001", "http://[0:0::1]:80/a"];
    const lines = addresses.map((url, at) => `  - { id: p${at}, url: "${url}" }`).join("\n");
    writeFileSync(join(eve.home, "plan.yaml"), `rounds: 1\nparticipants:\n${lines}\n`);
    for (let time = 0; time < 2; time++) {
      const { code, err } = await eve.run(["train", "run", "plan.yaml", "--server", "--detach"]);
      expect([code, err]).toEqual([0, time === 0 ? "p0 is registered.\np1 is registered.\np2 is registered.\n" : ""]);
    }
  } finally {
    await place.close();
  }
}, 60_000);

test("a participant that has moved is registered where it is now, as the refusal of the plan says", async () => {
  const place = await startPlace({}, ALLOWED);
  try {
    const eve = place.person();
    await eve.signUp("eve@example.com");
    await eve.run(["train", "participants", "add", "north", "http://127.0.0.1:5000"]);
    writeFileSync(join(eve.home, "plan.yaml"), 'participants: [{ id: north, url: "http://127.0.0.1:5001" }]\n');
    const { err } = await eve.run(["train", "run", "plan.yaml", "--server", "--detach"]);
    const [, told = ""] = /Change it with: \S+ (.*)/.exec(err) ?? [];
    const moved = await eve.run(told.split(" "));
    expect([moved.code, moved.out]).toEqual([0, expect.stringMatching(/Address +http:\/\/127.0.0.1:5001\n/)]);
    expect((await eve.run(["train", "run", "plan.yaml", "--server", "--detach"])).code).toBe(0);
    const nothing = await eve.run(["train", "participants", "update", "north"]);
    expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining("Nothing to change.")]);
  } finally {
    await place.close();
  }
}, 60_000);

test("what a plan names for a model to begin with is read before anything is sent, and never left out in silence", async () => {
  const place = await startPlace({}, ALLOWED);
  try {
    const eve = place.person();
    await eve.signUp("eve@example.com");
    mkdirSync(join(eve.home, "folder"));
    for (const [initial, words] of [
      ["folder", "turnpike: folder cannot be read: EISDIR"],
      ["[folder]", "initial names a file"],
    ] as const) {
      const plan = `participants: [{ id: north, url: "http://127.0.0.1:5000" }]\ninitial: ${initial}\n`;
      writeFileSync(join(eve.home, "plan.yaml"), plan);
      const { code, err } = await eve.run(["train", "run", "plan.yaml", "--server", "--detach"]);
      expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    }
  } finally {
    await place.close();
  }
}, 60_000);

test.each([[[]], [["--server"]]])(
  "a plan that is not UTF-8 is refused and not read with other letters: %p",
  async (more) => {
    const person = new Person("http://127.0.0.1:1");
    const text = 'name: caf\u00e9\nparticipants: [{ id: north, url: "http://127.0.0.1:1" }]\n';
    for (const encoding of ["latin1", "utf16le"] as const) {
      writeFileSync(join(person.home, "plan.yaml"), Buffer.from(text, encoding));
      const { code, err } = await person.run(["train", "run", "plan.yaml", ...more]);
      expect([code, err]).toEqual([2, expect.stringContaining("plan.yaml cannot be read: it is not text in UTF-8")]);
    }
    person.remove();
  },
);
