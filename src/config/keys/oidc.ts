import { keyTable } from "./key-table.ts";

export const OIDC = keyTable({
  served: "issuer client_id client_secret name scopes allowed_domains allow_sign_up organization_id",
});
