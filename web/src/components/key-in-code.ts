/** The variable that examples take a key from: the README, the command line and the first start name the same. */
export const KEY_VARIABLE = "TURNPIKE_KEY";

/** How each language says the key: itself where it is at hand, else the variable. */
export const keyInCode = {
  curl: (key?: string): string => `-H "Authorization: Bearer ${key ?? `$${KEY_VARIABLE}`}"`,
  python: (key?: string): string => (key === undefined ? `os.environ["${KEY_VARIABLE}"]` : JSON.stringify(key)),
  typeScript: (key?: string): string => (key === undefined ? `process.env.${KEY_VARIABLE}` : JSON.stringify(key)),
} as const;
