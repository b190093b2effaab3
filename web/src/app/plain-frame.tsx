import { Box, Container, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { AppLink } from "../components/app-link.tsx";
import { ColorSchemeButton } from "./color-scheme-button.tsx";
import { Wordmark } from "./wordmark.tsx";

/** For pages before signing in. */
export const PlainFrame = ({ width, children }: { width: "narrow" | "wide"; children: ReactNode }) => (
  <Box mih="100vh">
    <Container component="header" size={width === "wide" ? "xl" : "md"} py="md">
      <Group justify="space-between">
        <AppLink to="/" underline="never" c="inherit" aria-label="Turnpike, to the overview">
          <Wordmark />
        </AppLink>
        <ColorSchemeButton />
      </Group>
    </Container>
    <Container
      component="main"
      size={width === "wide" ? "xl" : 440}
      pt={width === "wide" ? "md" : { base: "lg", sm: 64 }}
      pb={64}
    >
      {children}
    </Container>
  </Box>
);
