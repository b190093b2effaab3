import { Menu } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiDelete, apiPatch, apiPost } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { RowMenu } from "../../components/row-menu.tsx";
import { useSignedIn } from "../../session/session.ts";
import { ResetLink, type ResetLinkMade } from "./reset-link.tsx";
import { SeeAsDialog } from "./see-as-dialog.tsx";
import { type AdminUser, USERS_KEY } from "./user.ts";
import { AddEmail } from "./users/add-email.tsx";

interface Question {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly done: string;
  readonly isDangerous: boolean;
  readonly send: () => Promise<unknown>;
}

/** What an operator does about a person. One's own account is looked after elsewhere. */
export function UserMenu({ user }: { user: AdminUser }) {
  const me = useSignedIn();
  const client = useQueryClient();
  const [question, setQuestion] = useState<Question | null>(null);
  const [isSeeing, setSeeing] = useState(false);
  const [isAddingEmail, setAddingEmail] = useState(false);
  const [link, setLink] = useState<ResetLinkMade | null>(null);
  const act = useMutation({
    mutationFn: (asked: Question) => asked.send(),
    onSuccess(_, { done }) {
      setQuestion(null);
      notifyDone(done);
      return client.invalidateQueries({ queryKey: USERS_KEY });
    },
  });
  const makeLink = useMutation({
    mutationFn: () => apiPost<ResetLinkMade>(`/api/admin/users/${user.id}/password-reset`),
    onSuccess: setLink,
  });
  if (me.user.id === user.id) return null;
  const questions = questionsOf(user);
  return (
    <>
      <RowMenu label={`What to do with ${user.name}`}>
        {user.signIn && user.role !== "admin" && user.status === "active" && (
          <Menu.Item onClick={() => setSeeing(true)}>See as this user</Menu.Item>
        )}
        {!user.signIn && user.status === "active" && (
          <Menu.Item onClick={() => setAddingEmail(true)}>Add an email</Menu.Item>
        )}
        {user.signIn && <Menu.Item onClick={() => makeLink.mutate()}>Make a link to a new password</Menu.Item>}
        {user.twoFactorEnabled && (
          <Menu.Item onClick={() => setQuestion(questions.factor)}>Take away the second factor</Menu.Item>
        )}
        {user.passkeys > 0 && (
          <Menu.Item onClick={() => setQuestion(questions.passkeys)}>Take away the passkeys</Menu.Item>
        )}
        {user.signIn && <Menu.Item onClick={() => setQuestion(questions.role)}>{questions.role.action}</Menu.Item>}
        <Menu.Item onClick={() => setQuestion(questions.status)}>{questions.status.action}</Menu.Item>
        <Menu.Item onClick={() => setQuestion(questions.removal)} c="var(--mantine-color-error)">
          Remove
        </Menu.Item>
      </RowMenu>
      <ConfirmDialog
        opened={question !== null}
        onClose={() => setQuestion(null)}
        title={question?.title ?? ""}
        action={question?.action ?? ""}
        isDangerous={question?.isDangerous ?? false}
        isPending={act.isPending}
        onConfirm={() => question && act.mutate(question)}
      >
        {question?.text}
      </ConfirmDialog>
      <AddEmail user={user} opened={isAddingEmail} onClose={() => setAddingEmail(false)} onAdded={setLink} />
      <SeeAsDialog user={user} opened={isSeeing} onClose={() => setSeeing(false)} />
      <ResetLink link={link} name={user.name} onClose={() => setLink(null)} />
    </>
  );
}

function questionsOf({
  id,
  name,
  role,
  status,
}: AdminUser): Record<"role" | "status" | "factor" | "passkeys" | "removal", Question> {
  const path = `/api/admin/users/${id}`;
  const isOperator = role === "admin";
  const isActive = status === "active";
  return {
    role: {
      title: isOperator ? `Let ${name} be an operator no longer?` : `Make ${name} an operator?`,
      text: isOperator
        ? "They keep their account and their organizations. Their sessions end."
        : "Operators see and change everything in this installation.",
      action: isOperator ? "Take away the role" : "Make an operator",
      done: isOperator ? `${name} is no operator any more.` : `${name} is an operator now.`,
      isDangerous: !isOperator,
      send: () => apiPatch(path, { role: isOperator ? "user" : "admin" }),
    },
    status: {
      title: isActive ? `Disable ${name}?` : `Enable ${name}?`,
      text: isActive ? "Their sessions end, and they cannot log in until they are enabled." : "They can log in again.",
      action: isActive ? "Disable" : "Enable",
      done: isActive ? `${name} is disabled.` : `${name} can log in again.`,
      isDangerous: isActive,
      send: () => apiPatch(path, { status: isActive ? "disabled" : "active" }),
    },
    factor: {
      title: `Take away the second factor of ${name}?`,
      text: "For somebody who has lost their phone and their recovery codes. Make sure that it is them who asks.",
      action: "Take it away",
      done: `${name} logs in with the password alone now.`,
      isDangerous: true,
      send: () => apiDelete(`${path}/2fa`),
    },
    passkeys: {
      title: `Take away the passkeys of ${name}?`,
      text: "For somebody who has lost a device and cannot log in to remove it. Their password stays.",
      action: "Take them away",
      done: `${name} has no passkeys any more.`,
      isDangerous: true,
      send: () => apiDelete(`${path}/passkeys`),
    },
    removal: {
      title: `Remove ${name}?`,
      text: "Their sessions and keys end. What they have spent stays in the books. The only owner of an organization cannot be removed.",
      action: "Remove",
      done: `${name} is removed.`,
      isDangerous: true,
      send: () => apiDelete(path),
    },
  };
}
