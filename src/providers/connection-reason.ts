const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there (connection refused)",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the name server does not answer",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to its network",
  ETIMEDOUT: "the host does not answer",
  TimeoutError: "it takes no connection, or is silent in the TLS handshake",
  ECONNRESET: "the connection was closed before an answer came",
  EPROTO: "it does not speak TLS there: is it an http:// address?",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself; name it in NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is of an unknown authority; name that one in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is of an unknown authority; name that one in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is of an unknown authority; name that one in NODE_EXTRA_CA_CERTS",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

/** Why a host was not reached, for those who run the server: callers are not told what stands behind it. */
export function connectionReason(cause: unknown): string | null {
  if (!(cause instanceof Error)) return null;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
  return REASONS[code] ?? (code === "Error" || code === "TypeError" ? null : code);
}
