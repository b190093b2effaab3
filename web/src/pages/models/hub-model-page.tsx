import { HubActions } from "./hub-actions.tsx";
import { ModelDetails } from "./model-details.tsx";

export default function HubModelPage() {
  return <ModelDetails base="/model_hub_table" actions={() => <HubActions />} />;
}
