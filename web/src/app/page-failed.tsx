import { Button, Group } from "@mantine/core";
import { ErrorState } from "../components/error-state.tsx";

export const PageFailed = ({ error, reset }: { error: Error; reset: () => void }) => (
  <ErrorState error={error} title="This page could not be shown">
    <Group justify="center">
      <Button variant="default" onClick={reset}>
        Try again
      </Button>
      <Button onClick={() => window.location.reload()}>Load the page anew</Button>
    </Group>
  </ErrorState>
);
