import { IconKey, IconServer2, IconSitemap, IconTag } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

const access = "operator";

export const pages: readonly PageSpec[] = [
  {
    path: "/operator/models",
    title: "Deployments",
    access,
    load: () => import("./models-page.tsx"),
    nav: { group: "operator", label: "Deployments", icon: IconServer2, order: 10 },
  },
  { path: "/operator/models/new", title: "Add a model", access, load: () => import("./add-model-page.tsx") },
  { path: "/operator/models/$modelId", title: "Model", access, load: () => import("./model-page.tsx") },
  {
    path: "/operator/routing",
    title: "Routing",
    access,
    load: () => import("./routing-page.tsx"),
    nav: { group: "operator", label: "Routing", icon: IconSitemap, order: 12 },
  },
  {
    path: "/operator/credentials",
    title: "Credentials",
    access,
    load: () => import("./credentials-page.tsx"),
    nav: { group: "operator", label: "Credentials", icon: IconKey, order: 14 },
  },
  {
    path: "/operator/prices",
    title: "Prices",
    access,
    load: () => import("./prices-page.tsx"),
    nav: { group: "operator", label: "Prices", icon: IconTag, order: 16 },
  },
];
