import { Button } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { EmptyState } from "./empty-state.tsx";
import { useMakeOwnKey } from "./use-own-key.ts";

interface NoKeyProps {
  readonly onMade: (keyId: string) => void;
  /** Why the page wants one. */
  readonly children: ReactNode;
}

/** For who has no key yet: one is made on the spot, where they may have one. */
export function NoKey({ onMade, children }: NoKeyProps) {
  const make = useMakeOwnKey(({ id }) => onMade(id));
  if (!make.hasTeam) {
    return (
      <EmptyState icon={IconKey} title="You have no key">
        You are in no team yet. Ask an administrator of the organization to add you to one.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconKey}
      title="You have no key yet"
      action={
        <Button loading={make.isPending} onClick={() => make.mutate()}>
          Make one and begin
        </Button>
      }
    >
      {children}
    </EmptyState>
  );
}
