// Test files side by side, each in a process and a folder of its own: one that crashes costs no other, and nothing of what two
// of them print is mixed.

import { laneCount, runTests, timed } from "./phases.mjs";
import { fileLines, QuietOutput } from "./quiet-output.mjs";

/** What Bun says at the beginning and the end of each run: the line of a file says it shorter. */
const frame = /^(bun test v.*| *\d+ (pass|skip|todo|fail|errors?|expect\(\) calls)|Ran \d+ tests? across .*)$/;

/**
 * Runs files in lanes, then those of `alone` one by one. Of each is shown what it printed, in one piece, and a line, when it
 * has ended; what had not ended when all was broken off is shown as far as it had come.
 */
export async function runInLanes({ bun, name, files, alone = [], lanes = laneCount, verbose = false, show }) {
  const results = new Map();
  const running = new Map();
  const tell = () => {
    for (const [file, lines] of running) for (const line of [...lines, `${file} had not ended`]) show(line);
  };
  const runFile = async (file) => {
    const lines = [];
    running.set(file, lines);
    const quiet = verbose ? wholeOutput(lines) : briefOutput(file, lines);
    const run = runTests({ bun, name, files: [file], parallel: false, quiet });
    const { failed, ...rest } = await timed(run.catch((error) => lost(file, error)));
    const result = { ...rest, failed: failed.map((what) => (what.startsWith(file) ? what : `${file}: ${what}`)) };
    running.delete(file);
    results.set(file, result);
    for (const line of [...lines, ...fileLines(result.byFile).map((told) => `${told}, ${result.seconds} s`)])
      show(line);
  };
  const work = async (queue) => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) await runFile(file);
  };
  process.on("exit", tell);
  const shared = files.filter((file) => !alone.includes(file));
  await Promise.all(Array.from({ length: lanes }, () => work(shared)));
  await work(files.filter((file) => alone.includes(file)));
  process.off("exit", tell);
  return { name, ...sumUp(files.map((file) => results.get(file))) };
}

const sumUp = (results) => ({
  passed: results.reduce((sum, { passed }) => sum + passed, 0),
  failed: results.flatMap(({ failed }) => failed),
  skipped: results.flatMap(({ skipped }) => skipped),
  byFile: results.flatMap(({ byFile }) => byFile),
});

const lost = (file, error) => ({
  passed: 0,
  failed: [`could not be run (${error.message})`],
  skipped: [],
  byFile: [{ file, passed: 0, failed: 1, skipped: 0 }],
});

function briefOutput(file, lines) {
  const show = (line) => {
    if (line !== "" && !frame.test(line)) lines.push(line);
  };
  return new QuietOutput({ files: [file], show });
}

function wholeOutput(lines) {
  let rest = "";
  return {
    push(chunk) {
      const whole = (rest + chunk).split("\n");
      rest = whole.pop() ?? "";
      lines.push(...whole);
    },
    end() {
      if (rest !== "") lines.push(rest);
    },
  };
}
