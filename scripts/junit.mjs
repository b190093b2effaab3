// Reads what `bun test --reporter=junit` wrote. Bun leaves a file out that could not be loaded, and writes nothing
// at all when it crashes, so the exit code and the list of files are held against the report.

const entities = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

/** The result of one run of Bun: how many passed, and the names of those that failed or were skipped. */
export function readResults({ xml, files, exit }) {
  const cases = parseCases(xml ?? "");
  const failed = cases.filter((test) => test.outcome === "failed").map((test) => test.name);
  const skipped = cases.filter((test) => test.outcome === "skipped").map((test) => test.name);
  const passed = cases.length - failed.length - skipped.length;
  if (exit !== 0) {
    const seen = new Set(cases.map((test) => test.file));
    for (const file of files) if (!seen.has(file)) failed.push(`${file}: did not load or was not reached`);
  }
  if (xml === null) failed.push(`bun test left no report (${describeExit(exit)})`);
  else if (exit !== 0 && failed.length === 0) failed.push(`bun test: ${describeExit(exit)} though every test passed`);
  return { passed, failed, skipped };
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
