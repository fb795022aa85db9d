import { UndeliverableError } from '../../protocol/ip-address.ts'

const closedCodes = [
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]

const words: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  EHOSTUNREACH: 'the server cannot be reached',
  ENETUNREACH: 'the server cannot be reached',
  ETIMEDOUT: 'the server cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'the server cannot be reached',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
  UND_ERR_DESTROYED: 'sending was stopped',
  UND_ERR_CLOSED: 'sending was stopped',
}

// Node's names of OpenSSL's reasons; others are reported by name.
const certificateFault =
  /^(?:(?:CERT|CRL|INVALID|UNABLE_TO|ERROR_IN|PATH_LENGTH)_|UNSPECIFIED$|ERR_TLS_CERT_ALTNAME_)/
const certificateLabels: Record<string, string> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not valid yet',
  CERT_REVOKED: 'revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong host name',
  HOSTNAME_MISMATCH: 'wrong host name',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown issuer or missing intermediate certificate',
}

/** Returns the problem of a certificate, if the error is about one. */
export function certificateFaultOf(error: unknown): string | undefined {
  const { code = '' } = error as { code?: string }
  return certificateLabels[code] ?? (certificateFault.test(code) ? code : undefined)
}

/** Explains a failed request to the partner. */
export function explainFailure(error: unknown, answered: boolean): string {
  if (error instanceof UndeliverableError) return error.message
  const { name, code = name, message } = error as Error & { code?: string }
  // undici distinguishes these cases only by message.
  const ended = closedCodes.includes(code)
    ? !message.startsWith('bad ')
    : name === 'HTTPParserError' && message.includes('EOF')
  if (ended)
    return `the connection was closed before ${answered ? 'the answer was complete' : 'an answer came'}`
  if (closedCodes.includes(code) || name === 'HTTPParserError') return 'the answer is not valid HTTP'
  const fault = certificateFaultOf(error)
  if (fault !== undefined) return `the certificate is not valid: ${fault}`
  return words[code] ?? `the request failed (${code})`
}
