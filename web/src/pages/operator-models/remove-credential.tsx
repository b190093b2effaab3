import { apiDelete } from "../../api/client.ts";
import { RemoveButton } from "../../components/remove-button.tsx";
import { PROVIDERS_KEY, type ProviderCredential } from "./use-providers.ts";

export const RemoveCredential = ({ credential: { name, provider, usedBy } }: { credential: ProviderCredential }) => (
  <RemoveButton
    name={name}
    what="credential"
    remove={() => apiDelete(`/api/admin/providers/${provider}/credentials/${encodeURIComponent(name)}`)}
    queryKey={PROVIDERS_KEY}
  >
    {usedBy.length === 0
      ? "Its values are forgotten. No model stands on it."
      : `It is used by ${usedBy.join(", ")}, and can only be removed when those do not stand on it any more.`}
  </RemoveButton>
);
