import { formatOfPath, type Route } from "../../http/route.ts";

/** Where programs that come from OpenRouter call it: only the host of their address changes. */
export const ROUTER_BASE = "/api/v1";

/** The same operations, also under OpenRouter's base address. */
export const alsoUnderApi = (routes: readonly Route[]): Route[] =>
  routes.map((route) => ({ ...route, paths: [...route.paths, ...route.paths.filter(isOurs).map(underApi)] }));

/** Google's form is no part of OpenRouter's. */
const isOurs = (path: string): boolean => path.startsWith("/v1/") && formatOfPath(path) !== "google";
const underApi = (path: string): string => `/api${path}`;
