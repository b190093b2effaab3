import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/account",
    title: "Account",
    access: "everyone",
    needsOrganization: false,
    load: () => import("./account-page.tsx"),
  },
];
