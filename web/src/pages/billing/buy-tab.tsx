import { SimpleGrid } from "@mantine/core";
import { BuyCard } from "./buy-card.tsx";
import { VoucherCard } from "./voucher-card.tsx";

export const BuyTab = () => (
  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
    <BuyCard />
    <VoucherCard />
  </SimpleGrid>
);
