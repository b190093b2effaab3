/** Where OpenAI's clients look for an operation, by the base address that they were given. */
export const openaiPaths = (path: string): readonly [string, ...string[]] => [`/v1${path}`, path, `/openai/v1${path}`];
