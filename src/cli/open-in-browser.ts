/** Shows a page to whoever sits here; false where there is nothing to show it with. Only web addresses are handed on. */
export function openInBrowser(url: string): boolean {
  if (!/^https?:\/\//.test(url)) return false;
  const command = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
  if (Bun.which(command) === null) return false;
  Bun.spawn([command, url], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref();
  return true;
}
