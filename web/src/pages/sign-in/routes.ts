import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  { path: "/login", title: "Log in", access: "public", load: () => import("./log-in-page.tsx") },
  { path: "/signup", title: "Sign up", access: "public", load: () => import("./sign-up-page.tsx") },
  { path: "/invitation", title: "Invitation", access: "public", load: () => import("./invitation-page.tsx") },
  {
    path: "/forgot-password",
    title: "Forgotten password",
    access: "public",
    load: () => import("./forgot-password-page.tsx"),
  },
  { path: "/reset-password", title: "New password", access: "public", load: () => import("./reset-password-page.tsx") },
  { path: "/verify-email", title: "E-mail address", access: "public", load: () => import("./verify-email-page.tsx") },
  {
    path: "/connect",
    title: "Connect an app",
    access: "everyone",
    frame: "narrow",
    needsOrganization: false,
    load: () => import("./connect-page.tsx"),
  },
];
