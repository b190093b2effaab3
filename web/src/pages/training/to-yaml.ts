/** A plan as YAML: maps and lists in lines of their own, lists of plain values in one line, texts quoted where they have to be. */
export const toYaml = (value: Readonly<Record<string, unknown>>): string => `${lines(value, "").join("\n")}\n`;

function lines(map: Readonly<Record<string, unknown>>, indent: string): string[] {
  return Object.entries(map).flatMap(([name, value]) => {
    const head = `${indent}${scalar(name)}:`;
    if (Array.isArray(value)) return [`${head} [${value.map(inline).join(", ")}]`];
    if (typeof value === "object" && value !== null) {
      const inner = lines(value as Readonly<Record<string, unknown>>, `${indent}  `);
      return inner.length === 0 ? [`${head} {}`] : [head, ...inner];
    }
    return [`${head} ${scalar(value)}`];
  });
}

const inline = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : scalar(value);

/** JSON's quoted texts are YAML's too; only what can be nothing but a word goes without. */
const scalar = (value: unknown): string =>
  typeof value === "string" && /^[A-Za-z][\w-]*$/.test(value) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(value)
    ? value
    : JSON.stringify(value);
