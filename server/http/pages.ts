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
import { leadToMarkdown } from './docs-markdown.ts'
import { markPartner } from './page-partner.ts'
import { bodyMaxBytes, inputMaxBytes } from './policy.ts'
import type { RequestContext } from './request-context.ts'
import { rejectUnread } from './unread.ts'

/** Next, which serves the portal's pages. */
export interface Portal {
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** The paths of the scripts, styles and fonts of the build, which all may read without waiting. */
  files: ReadonlySet<string>
  /** Serves pages that reload when their source changes. */
  isDevelopment: boolean
}

// How long browsers use only https after the first visit.
const httpsOnlyS = 365 * 24 * 60 * 60

const pageMethods = new Set(['GET', 'HEAD', 'POST'])

/** The upload of a file slice, the only larger body. */
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
  if (!pageMethods.has(request.method ?? '')) {
    throw methodNotAllowed('GET, HEAD, POST')
  }
  const { path, search } = context
  if (hasTooManyParameters(search)) throw new ApiError('BAD_REQUEST', 'The URL is not valid')
  // A body of unknown length cannot be limited without reading it, and browsers always send the length.
  if (request.headers['transfer-encoding'] !== undefined)
    throw new ApiError('BAD_REQUEST', 'The request needs a Content-Length')
  const isSlice = request.method === 'POST' && slicePath.test(path)
  const maxBytes = isSlice ? bodyMaxBytes : inputMaxBytes
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    throw new ApiError('PAYLOAD_TOO_LARGE', 'The body is too large')
  // next-auth checks a token in each of its forms, and providers may return users with a form.
  if (request.method === 'POST' && !path.startsWith('/api/auth/')) requireOwnOrigin(services, request)
  const work = () => portal.answer(request, response)
  if (portal.files.has(path)) {
    for (const [name, value] of Object.entries(fileHeaders)) response.setHeader(name, value)
    return work()
  }
  leadToMarkdown(request, response, path)
  request.headers.cookie = ownCookies(request.headers.cookie)
  markPartner(request, search)
  secure(services, portal, request, response)
  // Next would render a page that says so.
  if (path.startsWith('/_next/') && !portal.isDevelopment) throw notFound('Path')
  const { caller, session } = await callerOfPage(services, request)
  const { bodies } = services.admission
  // A file slice is stored while it arrives, and takes no slot however slow its sender is.
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

/** How long a page or its call waits for a slot. */
const pageWaitMs = 10 * secondMs

/**
 * Rejects requests from other sites, whose forms browsers send with our cookies.
 * @throws ApiError 403
 */
function requireOwnOrigin({ config }: Services, { headers }: IncomingMessage): void {
  const publicUrl = new URL(config.publicUrl)
  const { origin } = headers
  if (
    origin === undefined ||
    ![publicUrl.origin, `${publicUrl.protocol}//${headers.host}`].includes(origin)
  ) {
    throw new ApiError('FORBIDDEN', 'Only pages of this site may do this')
  }
  // Next compares the origin with this header, which a proxy may omit and a client may forge, and responds
  // with 500.
  headers['x-forwarded-host'] = new URL(origin).host
}

/**
 * Sets the security headers of a page. Next reads the nonce of its scripts from the request, so the client's
 * own value must not get through.
 */
function secure(
  { config }: Services,
  portal: Portal,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const policy = contentSecurityPolicy(randomBytes(16).toString('base64'), config, portal)
  request.headers['content-security-policy'] = policy
  response.setHeader('Content-Security-Policy', policy)
  for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value)
  if (config.publicUrl.startsWith('https:'))
    response.setHeader('Strict-Transport-Security', `max-age=${httpsOnlyS}`)
}

// Document headers would add 11 KB to the twenty scripts of a page.
const fileHeaders = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' }

const pageHeaders = {
  ...fileHeaders,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/**
 * Returns the Content-Security-Policy: scripts with the nonce and those they load; inline styles, which
 * position menus and rows.
 */
function contentSecurityPolicy(
  nonce: string,
  { oidc }: Services['config'],
  { isDevelopment }: Portal,
): string {
  // A form sent before its scripts have loaded is redirected to the provider.
  const forms = oidc === null ? "'self'" : `'self' ${new URL(oidc.issuer).origin}`
  // React and Turbopack evaluate strings in development, and only there.
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

/**
 * Returns whether a query has more parameters than that. Next takes time quadratic in the number of
 * parameters with one name.
 */
function hasTooManyParameters(search: string): boolean {
  return search.split('&', parametersMax + 1).length > parametersMax
}

/** Maximum cookies of a request: those of a sign-in, settings, and one per account of a shared browser. */
const cookiesMax = 50

/** Returns our cookies without those of other programs on the host: Next's time for them is quadratic in their number. */
export function ownCookies(cookies: string | undefined): string {
  const own = (cookies ?? '').split(';').filter((pair) => ownCookie.test(pair.trim()))
  return own.slice(0, cookiesMax).join(';').trim()
}

const ownCookie = /^(?:__Host-)?partner-deals\./
