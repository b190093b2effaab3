/** The organization that one call works in, where it is not the session's. */
export const namedOrganization = (request: Request): string | null => request.headers.get("x-organization-id") || null;
