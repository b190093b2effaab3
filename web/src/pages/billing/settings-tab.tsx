import { SimpleGrid } from "@mantine/core";
import { AlertsCard } from "./alerts-card.tsx";
import { TopUpCard } from "./top-up-card.tsx";

export const SettingsTab = () => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
    <TopUpCard />
    <AlertsCard />
  </SimpleGrid>
);
