import type { CrmProperty } from '../crm-source.ts'

// Object ids of PostgreSQL's types: https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
const types = new Map<number, CrmProperty['type']>([
  [16, 'bool'],
  [20, 'number'],
  [21, 'number'],
  [23, 'number'],
  [700, 'number'],
  [701, 'number'],
  [1082, 'date'],
  [1114, 'datetime'],
  [1184, 'datetime'],
  [1700, 'number'],
])

/** Returns the type of a column's values. */
export const columnTypeOf = (oid: number): CrmProperty['type'] => types.get(oid) ?? 'string'

const untrusted = 'its certificate is not trusted; sslmode=require encrypts without checking it'

/** Why no connection was made, by the code of the error. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing accepts connections there',
  ECONNRESET: 'it closed the connection',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
  ETIMEDOUT: 'it does not answer',
  CONNECT_TIMEOUT: 'it does not answer',
  CONNECTION_CLOSED: 'it closed the connection',
  CONNECTION_NO_PRIMARY: 'no host accepts writes, which target_session_attrs requires',
  SASL_SIGNATURE_MISMATCH: 'it does not know the password',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
}

/** Returns an error of the database in words for the operator: its own, if it answered. */
export function explainError(error: unknown): string {
  const { name, code, message } = error as { name?: string; code?: string; message?: string }
  const detail = (message ?? 'unknown').slice(0, 300).replace(/\.$/, '')
  if (name === 'PostgresError')
    return code === '57014' ? 'The query took more than a minute.' : `The database answered: ${detail}.`
  const isWithoutTls = detail.includes('before secure TLS connection was established')
  const reason = isWithoutTls ? 'it does not offer TLS, which sslmode requires' : reasons[code ?? '']
  return `The database cannot be reached: ${reason ?? code ?? detail}.`
}
