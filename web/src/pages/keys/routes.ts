import { IconKey } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/keys",
    title: "Keys",
    access: "everyone",
    load: () => import("./keys-page.tsx"),
    nav: { group: "work", label: "Keys", icon: IconKey, order: 20 },
  },
];
