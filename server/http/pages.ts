import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, methodNotAllowed, notFound } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { secondMs } from '../values/units.ts'
import {
  admitRequest,
  callerOfPage,
  receiveBody,
  untilArrived,
  whenReaderIsBehind,
  withinCaller,
} from './admit-request.ts'
import { setHeaders } from './answer.ts'
import { leadToMarkdown } from './docs-markdown.ts'
import { markPartner } from './page-partner.ts'
import { bodyMaxBytes, inputMaxBytes } from './policy.ts'
import type { RequestContext } from './request-context.ts'
import { rejectUnread } from './unread.ts'

/** Next, which serves the portal's pages. */
export interface Portal {
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** The paths of the build's scripts, styles and fonts, which are served without admission. */
  files: ReadonlySet<string>
  /** Serves pages that reload when their source changes. */
  isDevelopment: boolean
}

// How long browsers use only https after the first visit.
const httpsOnlyS = 365 * 24 * 60 * 60

const pageMethods = new Set(['GET', 'HEAD', 'POST'])

/** The path for uploading a slice of a file, which may be larger than other bodies. */
const slicePath = /^\/(?:imports|uploads|attachments)\/[^/]+\/content$/

/**
 * Serves a page, after validating the request and setting its headers.
 * @throws ApiError 400, 403, 405 or 413
 */
export async function answerPage(
  services: Services,
  portal: Portal,
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): Promise<void> {
  if (!pageMethods.has(request.method ?? '')) throw methodNotAllowed('GET, HEAD, POST')
  const { path, search } = context
  if (hasTooManyParameters(search)) throw new ApiError('BAD_REQUEST', 'The URL is not valid')
  // Browsers always send the length, and without it a body cannot be limited before it is read.
  if (request.headers['transfer-encoding'] !== undefined)
    throw new ApiError('BAD_REQUEST', 'The request needs a Content-Length')
  const isSlice = request.method === 'POST' && slicePath.test(path)
  const maxBytes = isSlice ? bodyMaxBytes : inputMaxBytes
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    throw new ApiError('PAYLOAD_TOO_LARGE', 'The body is too large')
  // Forms of next-auth have their own token, and identity providers may send users back with a form.
  if (request.method === 'POST' && !path.startsWith('/api/auth/')) requireOwnOrigin(services, request)
  const work = () => portal.answer(request, response)
  if (portal.files.has(path)) {
    setHeaders(response, fileHeaders)
    return work()
  }
  leadToMarkdown(request, response, path)
  request.headers.cookie = ownCookies(request.headers.cookie)
  markPartner(request, search)
  secure(services, portal, request, response)
  // Next would render a page for each unknown path.
  if (path.startsWith('/_next/') && !portal.isDevelopment) throw notFound('Path')
  const { caller, session } = await callerOfPage(services, request)
  const { bodies } = services.admission
  // A slice is stored while it arrives, and takes no slot, because its sender may be slow.
  if (isSlice)
    return receiveBody(bodies, caller, () =>
      withinCaller(context, caller, () => rejectUnread(response, work)),
    )
  if (request.method === 'POST') await receiveBody(bodies, caller, () => untilArrived(request))
  await admitRequest(services, context, caller, pageWaitMs, (release) => {
    whenReaderIsBehind(response, release)
    if (request.method === 'POST') return rejectUnread(response, work)
    if (session !== undefined) services.sessions.remember(context.work, session)
    return work()
  })
}

/** How long a page or call waits for a slot. */
const pageWaitMs = 10 * secondMs

/** Rejects forms of other sites, which browsers send with our cookies. @throws ApiError 403 */
function requireOwnOrigin({ config }: Services, { headers }: IncomingMessage): void {
  const publicUrl = new URL(config.publicUrl)
  const { origin } = headers
  if (
    origin === undefined ||
    ![publicUrl.origin, `${publicUrl.protocol}//${headers.host}`].includes(origin)
  ) {
    throw new ApiError('FORBIDDEN', 'Only pages of this site may do this')
  }
  // Next responds with 500 unless this header fits the origin; a proxy may omit it and a client may forge it.
  headers['x-forwarded-host'] = new URL(origin).host
}

/** Sets the security headers of a page. Next reads the nonce from the request, where the client may have set one. */
function secure(
  { config }: Services,
  portal: Portal,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const policy = contentSecurityPolicy(randomBytes(16).toString('base64'), config, portal)
  request.headers['content-security-policy'] = policy
  response.setHeader('Content-Security-Policy', policy)
  setHeaders(response, pageHeaders)
  if (config.publicUrl.startsWith('https:'))
    response.setHeader('Strict-Transport-Security', `max-age=${httpsOnlyS}`)
}

// Scripts get no other headers: these would add 11 KB to the twenty scripts of a page.
const fileHeaders = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' }

const pageHeaders = {
  ...fileHeaders,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** Returns the Content-Security-Policy. Inline styles are allowed because they position menus and rows. */
function contentSecurityPolicy(
  nonce: string,
  { oidc }: Services['config'],
  { isDevelopment }: Portal,
): string {
  // A sign-in form that is sent before the scripts have loaded is redirected to the provider.
  const forms = oidc === null ? "'self'" : `'self' ${new URL(oidc.issuer).origin}`
  // React and Turbopack evaluate strings, only in development.
  const scripts = isDevelopment ? "'strict-dynamic' 'unsafe-eval'" : "'strict-dynamic'"
  return [
    "default-src 'self'",
    `script-src 'nonce-${nonce}' ${scripts}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    // Otherwise the rule for scripts applies, and a service worker has no nonce.
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action ${forms}`,
  ].join('; ')
}

/** Maximum query parameters of a page: a view has up to 200 values in each of four lists. */
const parametersMax = 1000

/** Returns true if a query has too many parameters: Next's time is quadratic in the number of equal names. */
const hasTooManyParameters = (search: string): boolean =>
  search.split('&', parametersMax + 1).length > parametersMax

/** Maximum cookies of a request: those for sign-in and settings, and one per account in a shared browser. */
const cookiesMax = 50

const ownCookie = /^(?:__Host-)?partner-deals\./

/** Returns our cookies without those of other programs: Next's time is quadratic in the number of cookies. */
export function ownCookies(cookies = ''): string {
  const own = cookies.split(';').filter((pair) => ownCookie.test(pair.trim()))
  return own.slice(0, cookiesMax).join(';').trim()
}
