const closed = 'it closed the connection'
const silent = 'it does not respond'
const noRoute = 'there is no route to the host'
const untrusted =
  'its certificate is not trusted; if a proxy replaces certificates, name its authority in NODE_EXTRA_CA_CERTS'

/** Reasons for a failed connection, by error code. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing accepts connections there',
  ECONNRESET: closed,
  EPIPE: closed,
  CONNECTION_CLOSED: closed,
  UND_ERR_SOCKET: closed,
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ETIMEDOUT: silent,
  CONNECT_TIMEOUT: silent,
  UND_ERR_CONNECT_TIMEOUT: silent,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
}

/** Returns the reason for a failed connection as text, or undefined for an unknown code. */
export const reasonOf = (code: string | undefined): string | undefined => reasons[code ?? '']
