import { UndeliverableError } from '../net/ip-address.ts'

const closedCodes = [
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]

const plainHttp = 'the port answers without TLS; is it the port of http?'
const oldTls = 'no common version of TLS; enable TLS 1.2 or 1.3'
const unknownName = 'the server has no certificate for this host name'
const http2Only = 'the server accepts only HTTP/2; enable HTTP/1.1'
const noHandshake =
  'the server refused the TLS connection; check its certificate for this host name and its ciphers'

const words: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  EHOSTUNREACH: 'the server cannot be reached',
  ENETUNREACH: 'the server cannot be reached',
  ETIMEDOUT: 'the server cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'the server cannot be reached',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
  UND_ERR_DESTROYED: 'sending was stopped',
  UND_ERR_CLOSED: 'sending was stopped',
  EPROTO: 'the TLS connection failed',
  // Reasons reported by OpenSSL itself.
  ERR_SSL_WRONG_VERSION_NUMBER: plainHttp,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: plainHttp,
  ERR_SSL_HTTP_REQUEST: plainHttp,
  ERR_SSL_UNSUPPORTED_PROTOCOL: oldTls,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: oldTls,
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: oldTls,
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: unknownName,
  ERR_SSL_TLSV1_ALERT_UNRECOGNIZED_NAME: unknownName,
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': noHandshake,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: noHandshake,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: http2Only,
}

// Node's codes for certificate errors. A code without a label below is reported as it is.
const certificateFault =
  /^(?:(?:CERT|CRL|INVALID|UNABLE_TO|ERROR_IN|PATH_LENGTH)_|UNSPECIFIED$|ERR_TLS_CERT_ALTNAME_)/
const unknownIssuer = 'its issuer is not known; is the intermediate certificate missing?'
const certificateLabels: Record<string, string> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not valid yet',
  CERT_REVOKED: 'revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its root certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong host name',
  HOSTNAME_MISMATCH: 'wrong host name',
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
}

/** Returns the problem with the certificate, or undefined if the error has another cause. */
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
