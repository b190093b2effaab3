import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ALLOWED } from "../training/hosted.ts";
import { startPlace } from "./command-line.ts";

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
