import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Negotiator from 'negotiator'
import { ApiError, methodNotAllowed, notFound } from '../errors.ts'
import { type ServicesUse, recordUse, type Services } from '../runtime/services.ts'
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
import { markPartner } from './page-partner.ts'
import { bodyMaxBytes, inputMaxBytes } from './policy.ts'
import type { RequestContext } from './request-context.ts'

/** Next.js, which serves the portal's pages. */
export interface Portal {
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** The paths of scripts, styles and fonts from the build, which are served without admission. */
  files: ReadonlySet<string>
  /** True if pages reload when their source changes. */
  isDevelopment: boolean
}

// How long browsers use only https after a visit.
const httpsOnlyS = 365 * 24 * 60 * 60

const pageMethods = new Set(['GET', 'HEAD', 'POST'])

/** Paths for uploading a slice of a file, which may be larger than other bodies. */
const slicePath = /^\/(?:imports|uploads|attachments)\/[^/]+\/content$/

/**
 * Serves a page. Validates the request and sets headers first.
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
  // Browsers always send the length. Without it, the size of a body cannot be checked before reading.
  if (request.headers['transfer-encoding'] !== undefined)
    throw new ApiError('BAD_REQUEST', 'The request needs a Content-Length')
  const isSlice = request.method === 'POST' && slicePath.test(path)
  const maxBytes = isSlice ? bodyMaxBytes : inputMaxBytes
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    throw new ApiError('PAYLOAD_TOO_LARGE', 'The body is too large')
  // next-auth's forms have a token of their own, and identity providers may return users with a form.
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
  // Otherwise Next.js would render a page for every unknown path.
  if (path.startsWith('/_next/') && !portal.isDevelopment) throw notFound('Path')
  const { caller, session } = await callerOfPage(services, request)
  const { bodies } = services.admission
  // A slice is stored while it arrives. It occupies no slot, because the client may send slowly.
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

/** Maximum time that a page or a call waits for a slot. */
const pageWaitMs = 10 * secondMs

/**
 * Rejects forms submitted by other sites, because browsers send our cookies with such forms.
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
  // Next.js responds with 500 if this header does not match the origin. Proxies may omit the header, and
  // clients may forge it.
  headers['x-forwarded-host'] = new URL(origin).host
}

/**
 * Sets the security headers of a page. Next.js reads the nonce from the request's header, so any value that
 * the client sent is replaced.
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
  setHeaders(response, pageHeaders)
  if (config.publicUrl.startsWith('https:'))
    response.setHeader('Strict-Transport-Security', `max-age=${httpsOnlyS}`)
}

// Scripts need no further headers, which would add 11 KB to the twenty scripts of a page.
const fileHeaders = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' }

const pageHeaders = {
  ...fileHeaders,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** Returns the Content-Security-Policy. Allows inline styles, which position menus and rows. */
function contentSecurityPolicy(
  nonce: string,
  { oidc }: Services['config'],
  { isDevelopment }: Portal,
): string {
  // If the sign-in form is submitted before scripts have loaded, it is redirected to the provider.
  const forms = oidc === null ? "'self'" : `'self' ${new URL(oidc.issuer).origin}`
  // React and Turbopack evaluate strings during development only.
  const scripts = isDevelopment ? "'strict-dynamic' 'unsafe-eval'" : "'strict-dynamic'"
  return [
    "default-src 'self'",
    `script-src 'nonce-${nonce}' ${scripts}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    // Without this rule, service workers would fall under the rule for scripts, but a service worker has no
    // nonce.
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action ${forms}`,
  ].join('; ')
}

/** Maximum number of query parameters. A view has four lists with up to 200 values. */
const parametersMax = 1000

/**
 * Returns true if a query has too many parameters. Next.js takes quadratic time for parameters with the same
 * name.
 */
const hasTooManyParameters = (search: string): boolean =>
  search.split('&', parametersMax + 1).length > parametersMax

/**
 * Maximum number of cookies per request: those for sign-in and settings, and one per account in a shared
 * browser.
 */
const cookiesMax = 50

const ownCookie = /^(?:__Host-)?partner-deals\./

/** Returns only our own cookies, because Next.js takes quadratic time in the number of cookies. */
export function ownCookies(cookies = ''): string {
  const own = cookies.split(';').filter((pair) => ownCookie.test(pair.trim()))
  return own.slice(0, cookiesMax).join(';').trim()
}

/**
 * Handles a POST to a page. Next.js responds with 500 to a form that it cannot parse; this changes that
 * status to 400.
 */
function rejectUnread<T>(response: ServerResponse, work: () => T): T {
  const use: ServicesUse = { isUsed: false }
  const { writeHead } = response
  response.writeHead = ((status: number, ...rest: never[]) =>
    writeHead.call(response, status === 500 && !use.isUsed ? 400 : status, ...rest)) as typeof writeHead
  return recordUse(use, work)
}

const markdownPath = '/docs/markdown'

/**
 * Rewrites the request's URL if the client wants a documentation page as Markdown: either the URL ends with
 * `.md`, or the client prefers `text/markdown`.
 */
export function leadToMarkdown(request: IncomingMessage, response: ServerResponse, path: string): void {
  if (path !== '/docs' && path !== '/docs.md' && !path.startsWith('/docs/')) return
  if (path.endsWith('.md')) {
    request.url = `${markdownPath}${path.slice('/docs'.length, -'.md'.length)}`
    return
  }
  varyByAccept(response)
  const [preferred] = new Negotiator(request).mediaTypes(['text/html', 'text/markdown'])
  if (preferred === 'text/markdown') request.url = `${markdownPath}${path.slice('/docs'.length)}`
}

/** Adds the `Vary` header when the response starts, because Next.js would overwrite an earlier value. */
function varyByAccept(response: ServerResponse): void {
  const { writeHead } = response
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    response.appendHeader('Vary', 'Accept')
    return writeHead.apply(response, args)
  }) as typeof writeHead
}
