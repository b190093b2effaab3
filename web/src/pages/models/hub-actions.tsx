import { ButtonLink } from "../../components/button-link.tsx";
import { useMe } from "../../session/session.ts";

/** The way from the public hub to one's own pages, or to an account. */
export function HubActions() {
  const { data: me } = useMe();
  return me ? (
    <ButtonLink to="/" variant="default">
      To your overview
    </ButtonLink>
  ) : (
    <>
      <ButtonLink to="/login" variant="default">
        Log in
      </ButtonLink>
      <ButtonLink to="/signup">Sign up</ButtonLink>
    </>
  );
}
