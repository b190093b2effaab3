import { ButtonLink } from "../../components/button-link.tsx";
import { ModelDetails } from "./model-details.tsx";

export default function ModelPage() {
  return (
    <ModelDetails
      base="/models"
      actions={({ id }) => (
        <ButtonLink to="/playground" search={{ model: id }}>
          Try it
        </ButtonLink>
      )}
    />
  );
}
