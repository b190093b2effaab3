import { useSearch } from "@tanstack/react-router";
import { AppLink } from "../../components/app-link.tsx";
import { SignInCard } from "./sign-in-card.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

export default function SignUpPage() {
  const { to } = useSearch({ strict: false }) as { to?: string };
  return (
    <SignInCard
      title="Sign up"
      about="You get an organization of your own, with a first team."
      footer={
        <>
          Signed up already?{" "}
          <AppLink to="/login" {...(to === undefined ? {} : { search: { to } })}>
            Log in
          </AppLink>
        </>
      }
    >
      <SignUpForm />
    </SignInCard>
  );
}
