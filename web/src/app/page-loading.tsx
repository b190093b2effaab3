import { Skeleton, Stack } from "@mantine/core";

/** As high as a heading and a table, so that nothing jumps when the page is there. */
export const PageLoading = () => (
  <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
    <Skeleton height={32} width={220} />
    <Skeleton height={360} />
  </Stack>
);
