import { expect, test } from "bun:test";
import { publicCommand } from "./command-name.ts";

test("what everybody may read names no path of this machine", () => {
  for (const command of ["turnpike", "npm run -s turnpike --"]) expect(publicCommand(command)).toBe(command);
  expect(publicCommand("node '/home/ida/a clone/bin/turnpike.mjs'")).toBe("npm run -s turnpike --");
});
