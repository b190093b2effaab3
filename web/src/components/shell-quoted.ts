/** Text as one word of a shell, whatever is in it. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
