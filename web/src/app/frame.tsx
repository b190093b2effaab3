import { Center, Loader } from "@mantine/core";
import { Outlet, rootRouteId, useMatches, useRouter } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef } from "react";
import { ErrorState } from "../components/error-state.tsx";
import { nameTabAsUsual } from "../components/name-tab.ts";
import { useKeepSession } from "../session/keep-session.ts";
import { SignedIn, useMaySee, useMe, useOrganizations } from "../session/session.ts";
import { Forbidden } from "./forbidden.tsx";
import { PageLoading } from "./page-loading.tsx";
import type { PageSpec } from "./page-spec.ts";
import { PAGES } from "./pages.ts";
import { PlainFrame } from "./plain-frame.tsx";
import { SeenAsBanner } from "./seen-as-banner.tsx";
import { Shell } from "./shell.tsx";

/** The page that an address means, by the pattern that the router has matched; none where it has matched nothing but itself. */
function usePage(): PageSpec | undefined {
  const match = useMatches().at(-1);
  const pattern = String(match?.fullPath ?? "");
  if (match?.routeId === rootRouteId) return undefined;
  return PAGES.find(({ path }) => trimmed(path) === trimmed(pattern));
}
const trimmed = (path: string): string => path.replace(/\/+$/, "");

/** What stands around every page: nothing much for public ones, the shell for people who are signed in. */
export function Frame() {
  const page = usePage();
  const isPublic = page?.access === "public";
  const who = useMe();
  const { data: me } = who;
  const belongs = useOrganizations(me !== null && me !== undefined);
  const { data: organizations } = belongs;
  const maySee = useMaySee();
  useKeepSession(me !== null && me !== undefined);
  useLogInFirst(!isPublic && me === null);
  useStartAnewForAnother(me?.user.id);
  useLayoutEffect(() => nameTabAsUsual(page?.title ?? "No such page"), [page]);

  if (isPublic) {
    return (
      <>
        <SeenAsBanner me={me} />
        <PlainFrame width={page.frame ?? "narrow"}>
          <Outlet />
        </PlainFrame>
      </>
    );
  }
  // What is known stays: a server that is away for a moment takes no page from anybody, nor what was typed there.
  const unread = [who, belongs].find(({ error, data }) => error !== null && data === undefined);
  if (unread?.error) {
    return (
      <PlainFrame width="narrow">
        <ErrorState error={unread.error} onRetry={() => void unread.refetch()} />
      </PlainFrame>
    );
  }
  if (!me || belongs.isPending) return <Waiting />;
  const mayOpen = page === undefined || maySee(page.access as Exclude<typeof page.access, "public">);
  const isHomeless = organizations?.data.length === 0 && needsOrganization(page);
  return (
    <SignedIn value={me}>
      {page?.frame !== undefined && <SeenAsBanner me={me} />}
      <Around page={page}>
        {isHomeless ? (
          <Suspense fallback={<PageLoading />}>
            <NoOrganization />
          </Suspense>
        ) : mayOpen ? (
          <Outlet />
        ) : (
          <Forbidden />
        )}
      </Around>
      {me.hasEnded && (
        <Suspense>
          <LogInAgain />
        </Suspense>
      )}
    </SignedIn>
  );
}

const Around = ({ page, children }: { page: PageSpec | undefined; children: ReactNode }) =>
  page?.frame === undefined ? <Shell>{children}</Shell> : <PlainFrame width={page.frame}>{children}</PlainFrame>;

/** Few people ever see them. */
const NoOrganization = lazy(() => import("./no-organization.tsx"));
const LogInAgain = lazy(() => import("./log-in-again.tsx"));

const needsOrganization = (page: PageSpec | undefined): boolean =>
  page !== undefined && page.access !== "operator" && page.needsOrganization !== false;

/** To the log-in, and from there back to the page that was asked for. */
function useLogInFirst(isNeeded: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (!isNeeded) return;
    const { href } = router.state.location;
    const search = href === "/" || href === "" ? {} : { to: href };
    void router.navigate({ to: "/login" as never, search: search as never, replace: true });
  }, [isNeeded, router]);
}

/** Somebody else has logged in, here or in another tab: nothing of who was there before may stay on the screen. */
function useStartAnewForAnother(userId: number | undefined): void {
  const before = useRef(userId);
  useEffect(() => {
    const isAnother = userId !== undefined && before.current !== undefined && userId !== before.current;
    before.current = userId;
    if (isAnother) window.location.assign("/ui");
  }, [userId]);
}

const Waiting = () => (
  <Center mih="100vh">
    <Loader aria-label="Loading" />
  </Center>
);
