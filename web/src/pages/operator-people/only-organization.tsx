import { Pill } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import { type AdminOrganization, ORGANIZATIONS_KEY } from "./organization.ts";

/** Says that a list shows one organization alone, and lets go of it. */
export function OnlyOrganization({ id, onClear }: { id: string; onClear: () => void }) {
  const query = useQuery({
    queryKey: [...ORGANIZATIONS_KEY, "one", id],
    queryFn: ({ signal }) => apiGet<AdminOrganization>(`/api/admin/organizations/${id}`, {}, signal),
    enabled: id !== "",
  });
  if (id === "") return null;
  return (
    <Pill
      size="lg"
      withRemoveButton
      onRemove={onClear}
      removeButtonProps={{ "aria-label": "Show all organizations", "aria-hidden": false, tabIndex: 0 }}
    >
      {query.data?.name ?? "one organization"}
    </Pill>
  );
}
