import { IconChecklist, IconDatabaseSearch, IconFiles, IconMessageCircle, IconRobot } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

const shared = { access: "callers" } as const;

export const pages: readonly PageSpec[] = [
  {
    ...shared,
    path: "/assistants",
    title: "Assistants",
    load: () => import("./assistants-page.tsx"),
    nav: { group: "assistants", label: "Assistants", icon: IconRobot, order: 10 },
  },
  {
    ...shared,
    path: "/threads",
    title: "Threads",
    load: () => import("./threads-page.tsx"),
    nav: { group: "assistants", label: "Threads", icon: IconMessageCircle, order: 20 },
  },
  { ...shared, path: "/threads/$threadId", title: "Thread", load: () => import("./thread-page.tsx") },
  {
    ...shared,
    path: "/files",
    title: "Files",
    load: () => import("./files-page.tsx"),
    nav: { group: "assistants", label: "Files", icon: IconFiles, order: 30 },
  },
  {
    ...shared,
    path: "/vector-stores",
    title: "Vector stores",
    load: () => import("./vector-stores-page.tsx"),
    nav: { group: "assistants", label: "Vector stores", icon: IconDatabaseSearch, order: 40 },
  },
  {
    ...shared,
    path: "/batches",
    title: "Batches",
    load: () => import("./batches-page.tsx"),
    nav: { group: "assistants", label: "Batches", icon: IconChecklist, order: 50 },
  },
  { ...shared, path: "/vector-stores/$storeId", title: "Vector store", load: () => import("./vector-store-page.tsx") },
];
