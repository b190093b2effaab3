import { Button, Group, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { leaveSight, type Me } from "../session/session.ts";
import classes from "./seen-as-banner.module.css";

export const SEEN_AS_HEIGHT = 40;

/**
 * Above every page, for as long as an administrator sees it as somebody else. It does not ask for `me` itself: one more who asks
 * where the server is away would begin the asking anew each time.
 */
export function SeenAsBanner({ me }: { me: Me | null | undefined }) {
  const [isLeaving, setLeaving] = useState(false);
  const secondsLeft = me?.impersonation?.expiresIn;
  useEffect(() => {
    if (secondsLeft === undefined) return;
    const timer = window.setTimeout(() => void leaveSight(), secondsLeft * 1000);
    return () => window.clearTimeout(timer);
  }, [secondsLeft]);
  if (!me?.impersonation) return null;
  const stop = (): void => {
    setLeaving(true);
    void leaveSight();
  };
  return (
    <Group
      component="section"
      aria-label="Seen as somebody else"
      className={classes.banner}
      h={SEEN_AS_HEIGHT}
      px="md"
      gap="sm"
      justify="center"
      wrap="nowrap"
    >
      <Text size="sm" truncate title={me.user.email}>
        You are seeing this as <b>{me.user.name}</b>.
      </Text>
      <Text size="sm" visibleFrom="sm" flex="none">
        Nothing can be changed.
      </Text>
      <Button size="compact-sm" color="dark" flex="none" loading={isLeaving} onClick={stop}>
        Stop
      </Button>
    </Group>
  );
}
