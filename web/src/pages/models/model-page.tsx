import { ButtonLink } from "../../components/button-link.tsx";
import { useMaySee } from "../../session/session.ts";
import { ModelDetails } from "./model-details.tsx";

export default function ModelPage() {
  const mayCall = useMaySee()("callers");
  return (
    <ModelDetails
      base="/models"
      actions={({ id }) =>
        mayCall && (
          <ButtonLink to="/playground" search={{ model: id }}>
            Try it
          </ButtonLink>
        )
      }
    />
  );
}
