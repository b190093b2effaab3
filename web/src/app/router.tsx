import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorRouteComponent,
  lazyRouteComponent,
  type RouteComponent,
} from "@tanstack/react-router";
import { parseSearch, stringifySearch } from "./address.ts";
import { Frame } from "./frame.tsx";
import { NotFound } from "./not-found.tsx";
import { PageFailed } from "./page-failed.tsx";
import { PageLoading } from "./page-loading.tsx";
import { PAGES } from "./pages.ts";

const failed = PageFailed as unknown as ErrorRouteComponent;
const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFound, errorComponent: failed });

const routes = PAGES.map(({ path, load }) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component: lazyRouteComponent(load) as RouteComponent,
    errorComponent: failed,
    pendingComponent: PageLoading,
  }),
);

export const router = createRouter({
  routeTree: rootRoute.addChildren(routes),
  basepath: "/ui",
  defaultPreload: "intent",
  defaultPendingMs: 200,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
});
