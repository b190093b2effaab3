import { IconMapOff } from "@tabler/icons-react";
import { AppLink } from "../components/app-link.tsx";
import { EmptyState } from "../components/empty-state.tsx";

export const NotFound = () => (
  <EmptyState isPage icon={IconMapOff} title="There is no such page" action={<AppLink to="/">To the overview</AppLink>}>
    The address may have been mistyped, or the page has moved.
  </EmptyState>
);
