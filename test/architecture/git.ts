/** Runs git in a folder and returns what it prints; null when git is missing or fails. */
export function git(root: string, args: readonly string[]): Buffer | null {
  try {
    const { success, stdout } = Bun.spawnSync(["git", "-C", root, ...args], { stderr: "ignore" });
    return success ? stdout : null;
  } catch {
    return null;
  }
}
