import type { PageSpec } from "./page-spec.ts";

/** Each folder of pages lists its own in `routes.ts`: a new page touches no file of another one. */
const found = import.meta.glob<{ pages: readonly PageSpec[] }>("../pages/*/routes.ts", { eager: true });

export const PAGES: readonly PageSpec[] = Object.values(found).flatMap(({ pages }) => pages);

/** Whether an address is one of a page that needs no session. */
export const isPublicAddress = (pathname: string): boolean =>
  PAGES.filter(({ access }) => access === "public").some(({ path }) => {
    const own = `/ui${path.replace(/\/\$?$/, "")}`;
    return pathname === own || pathname.startsWith(`${own}/`);
  });
