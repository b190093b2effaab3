// Reads what `bun test --reporter=junit` wrote. Bun leaves a file out that could not be loaded, and writes nothing
// at all when it crashes, so the exit code and the list of files are held against the report.

const entities = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** The result of one run of Bun: how many passed, the names of those that failed or were skipped, and the counts of each file. */
export function readResults({ xml, files, exit }) {
  const cases = parseCases(xml ?? "");
  const failed = cases.filter((test) => test.outcome === "failed").map((test) => test.name);
  const skipped = cases.filter((test) => test.outcome === "skipped").map((test) => test.name);
  const passed = cases.length - failed.length - skipped.length;
  if (exit !== 0) {
    const seen = new Set(cases.map((test) => test.file));
    for (const file of files) if (!seen.has(file)) failed.push(`${file}: ${notReached}`);
  }
  if (xml === null) failed.push(`bun test left no report (${describeExit(exit)})`);
  else if (exit !== 0 && failed.length === 0) failed.push(`bun test: ${describeExit(exit)} though every test passed`);
  return { passed, failed, skipped, byFile: files.map((file) => countsOf(file, cases, xml !== null && exit === 0)) };
}

const notReached = "did not load or was not reached";

/** A file that nothing is told of has no tests where all ended well; otherwise it was lost. */
function countsOf(file, cases, endedWell) {
  const own = cases.filter((test) => test.file === file);
  const count = (outcome) => own.filter((test) => test.outcome === outcome).length;
  const lost = own.length === 0 && !endedWell ? 1 : 0;
  return { file, passed: count("passed"), failed: count("failed") + lost, skipped: count("skipped") };
}

function describeExit(exit) {
  return typeof exit === "number" ? `exit code ${exit}` : `ended by ${exit}`;
}

function parseCases(xml) {
  return [...xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)].map(([, head = "", body = ""]) => {
    const attributes = parseAttributes(head);
    const group = attributes.classname ? `${attributes.classname} > ` : "";
    return {
      file: attributes.file ?? "",
      name: `${attributes.file ?? ""}: ${group}${attributes.name ?? "(unnamed)"}`,
      outcome: /<(failure|error)\b/.test(body) ? "failed" : /<skipped\b/.test(body) ? "skipped" : "passed",
    };
  });
}

function parseAttributes(text) {
  return Object.fromEntries(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, decodeEntities(value)]),
  );
}

function decodeEntities(text) {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name) return entities[name] ?? whole;
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
