import type { Static } from "typebox";
import type { CredentialEntry } from "../../contract/credentials.ts";
import type { SeenCredential } from "../../models/stored-credentials.ts";

export const credentialEntry = (seen: SeenCredential): Static<typeof CredentialEntry> => ({
  credential_name: seen.name,
  credential_values: { ...seen.values },
  credential_info: { ...seen.info },
  source: seen.source,
  used_by: [...seen.usedBy],
});
