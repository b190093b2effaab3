import "@fontsource-variable/inter";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./global.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { whenAnother, whenSignedOut } from "./api/client.ts";
import { queryClient } from "./api/query-client.ts";
import { watchFocus } from "./app/focus-return.ts";
import { isPublicAddress } from "./app/pages.ts";
import { router } from "./app/router.tsx";
import { askWhoIsSignedIn, endSession, leaveSight } from "./session/session.ts";
import { theme, variables } from "./theme.ts";

/** Styles that are made at run time carry the nonce of this answer; no others are allowed. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
setNonce(nonce);

// A page was opened whose files a newer build has replaced: one new start finds them, a second one would not.
window.addEventListener("vite:preloadError", () => {
  if (window.sessionStorage.getItem("turnpike-reloaded") === document.lastModified) return;
  window.sessionStorage.setItem("turnpike-reloaded", document.lastModified);
  window.location.reload();
});
// Asked before anything is drawn: no page begins without the answer.
void askWhoIsSignedIn(queryClient, isPublicAddress(window.location.pathname));
watchFocus();
whenAnother(() => window.location.assign("/ui"));
whenSignedOut((error) => (error.isSightOver ? void leaveSight() : endSession(queryClient)));

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the program.");
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
