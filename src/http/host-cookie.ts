import { isPlainLoopback } from "../lib/loopback.ts";

/**
 * A cookie that no script can read and no other host can set. Behind a proxy that ends TLS the request does not tell how people
 * reach us, so `publicUrl` does where it is set.
 */
export class HostCookie {
  private readonly publicOrigin: string | null;

  constructor(
    private readonly bareName: string,
    publicUrl: string | null,
  ) {
    this.publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  }

  /** Two cookies of the name are none: one of them is not ours. */
  find({ headers, url }: Request): string | null {
    const name = this.nameFor(url);
    const values = (headers.get("cookie") ?? "")
      .split(";")
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1));
    const [value] = values;
    return values.length === 1 && value !== undefined && value !== "" ? value : null;
  }

  /** The value of `Set-Cookie`. */
  give({ url }: Request, value: string, lifetimeMs: number): string {
    return this.write(url, value, Math.max(0, Math.floor(lifetimeMs / 1000)));
  }

  clear({ url }: Request): string {
    return this.write(url, "", 0);
  }

  private write(url: string, value: string, seconds: number): string {
    const secure = this.isPlain(url) ? "" : " Secure;";
    return `${this.nameFor(url)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly;${secure} SameSite=Lax`;
  }

  private nameFor(url: string): string {
    return this.isPlain(url) ? this.bareName : `__Host-${this.bareName}`;
  }

  /** On one's own machine without TLS a browser keeps no `__Host-` cookie. Anywhere else there has to be TLS. */
  private isPlain(url: string): boolean {
    return isPlainLoopback(this.publicOrigin ?? url);
  }
}
