import { IconLock } from "@tabler/icons-react";
import { AppLink } from "../components/app-link.tsx";
import { EmptyState } from "../components/empty-state.tsx";

export const Forbidden = () => (
  <EmptyState
    isPage
    icon={IconLock}
    title="This page is not for you"
    action={<AppLink to="/">To the overview</AppLink>}
  >
    It is for people with more rights in this organization, or for whoever runs this installation.
  </EmptyState>
);
