import Type from "typebox";
import { Done, eitherOf } from "../../contract/organizations.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { CreateParticipantBody, ParticipantRecord, UpdateParticipantBody } from "../../contract/training.ts";
import { isoTime } from "../../contract/users.ts";
import { created, json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { Participants } from "../../training/participants.ts";
import type { TrainingParticipant } from "../../training/records.ts";
import { namedOrganization } from "../organizations/named-organization.ts";

const shared = { tag: "Training", auth: "session" } as const;
const LIST = { ...shared, paths: ["/api/training/participants"] } as const;
const Id = Type.Object({ id: Type.String() });
const ONE = { ...shared, paths: ["/api/training/participants/{id}"], params: Id } as const;

export const participantRoutes = (participants: Participants): Route[] => [
  ...listRoutes(participants),
  ...oneRoutes(participants),
];

const listRoutes = (participants: Participants): Route[] => [
  route({
    ...LIST,
    method: "GET",
    summary: "List the organization's participants",
    query: PageQuery,
    success: PagedList(ParticipantRecord),
    errors: ["permission", "not_found"],
    async handle({ caller, query, request }) {
      const page = pageOf(query);
      const { rows, total } = await participants.list(caller, namedOrganization(request), page);
      return json(paged(rows.map(participantRecord), page, total));
    },
  }),
  route({
    ...LIST,
    method: "POST",
    summary: "Register a participant",
    description:
      "Where it is reached, and with which token. Only public addresses are called, unless the operator allows others " +
      "(`general_settings.training.allow_private_participants`). Needs the role admin or owner.",
    body: CreateParticipantBody,
    success: ParticipantRecord,
    successStatus: 201,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, body, request, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const { name, url, token } = body;
      const maxExamples = eitherOf(body.maxExamples, body.max_examples);
      const made = await participants.create(actor, namedOrganization(request), { name, url, token, maxExamples });
      return created(participantRecord(made));
    },
  }),
];

const oneRoutes = (participants: Participants): Route[] => [
  route({
    ...ONE,
    method: "GET",
    summary: "Show a participant",
    success: ParticipantRecord,
    errors: ["permission", "not_found"],
    handle: async ({ caller, params }) => json(participantRecord(await participants.get(caller, params.id))),
  }),
  route({
    ...ONE,
    method: "PATCH",
    summary: "Change a participant",
    description: "Runs that are under way use what they began with until they are taken up again.",
    body: UpdateParticipantBody,
    success: ParticipantRecord,
    errors: ["invalid_request", "permission", "not_found", "conflict"],
    async handle({ caller, params, body, connection }) {
      const actor = { caller, address: connection.remoteAddress };
      const { url, token } = body;
      const maxExamples = eitherOf(body.maxExamples, body.max_examples);
      return json(participantRecord(await participants.update(actor, params.id, { url, token, maxExamples })));
    },
  }),
  route({
    ...ONE,
    method: "DELETE",
    summary: "Remove a participant",
    description: "Not while a run that is not at its end names it.",
    success: Done,
    errors: ["permission", "not_found", "conflict"],
    async handle({ caller, params, connection }) {
      await participants.remove({ caller, address: connection.remoteAddress }, params.id);
      return json({ success: true });
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: ["/api/training/participants/{id}/probe"],
    params: Id,
    summary: "Ask a participant how it is",
    description:
      "Calls its `/info` and keeps what came of it: `probe.ok`, and in `probe.detail` its name or what is wrong.",
    success: ParticipantRecord,
    errors: ["permission", "not_found"],
    async handle({ caller, params, connection }) {
      return json(
        participantRecord(await participants.probe({ caller, address: connection.remoteAddress }, params.id)),
      );
    },
  }),
];

const participantRecord = (participant: TrainingParticipant): ParticipantRecord => {
  const { id, organizationId, name, url, sealedToken, maxExamples, probe } = participant;
  return {
    id,
    organizationId,
    name,
    url,
    hasToken: sealedToken !== null,
    maxExamples,
    probe: probe && { ...probe, at: isoTime(probe.at), datasets: [...probe.datasets] },
    createdAt: isoTime(participant.createdAt),
    updatedAt: isoTime(participant.updatedAt),
  };
};
