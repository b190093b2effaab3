import type { FreshEndpointRecord } from "../../../../src/contract/purchases.ts";
import { SecretDialog } from "../../components/secret-dialog.tsx";

/** The secret that deliveries are signed with; it is never shown again. */
export const FreshSecret = ({ made, onClose }: { made: FreshEndpointRecord | null; onClose: () => void }) => (
  <SecretDialog
    secret={made?.secret ?? null}
    title="The secret of this webhook"
    what="secret"
    done="I have copied it"
    onClose={onClose}
  >
    Deliveries to <b className="wraps">{made?.url}</b> are signed with it, so that your service can tell them from
    forged ones. Copy it now: it is not shown again.
  </SecretDialog>
);
