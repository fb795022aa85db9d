import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import Negotiator from 'negotiator'
import { unauthorized, callerOf } from '../access/actor.ts'
import { clientOf } from '../access/client.ts'
import type { RateLimit } from '../access/rate-limit.ts'
import type { Access } from '../access/token-access.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { RequestWork, asLongWork, withinWork } from '../admission/slots.ts'
import { listIdOf } from '../deals/list-store.ts'
import { methodNotAllowed, notFound } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { keptSheetsMaxBytes } from '../sheets/policy.ts'
import { SheetCache } from '../sheets/sheet-cache.ts'
import { readSheet } from '../sheets/store.ts'
import { type SheetCsv, writeSheetCsv } from '../sheets/write-csv.ts'
import { recordTokenUse } from '../tokens/store.ts'
import { hashToken, isTokenForm } from '../tokens/token.ts'
import { withinCaller } from './admit-request.ts'
import type { RequestContext } from './request-context.ts'
import { ifNoneMatchOf } from './rest-answer.ts'

const sheetPath = /^\/api\/sheets\/([1-9]\d{0,9})\.csv$/

export const isSheetPath = (path: string) => sheetPath.test(path)

/** Returns the same error for unknown, revoked and expired keys. */
const noSheet = () => notFound('Sheet')

/** The access that a spreadsheet link grants. */
type SheetAccess = Access & { partnerId: PartnerId }

/**
 * Returns the handler for sheets, which are CSV files for spreadsheet programs. The key of a sheet is a token
 * with a rate limit of its own.
 */
export function makeSheets(services: Services, rateLimit: RateLimit) {
  const cache = new SheetCache(keptSheetsMaxBytes)
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
  ): Promise<void> => {
    const { headers } = context
    // The URL may contain the key, so it must not be sent to other sites.
    headers['Referrer-Policy'] = 'no-referrer'
    headers['X-Robots-Tag'] = 'noindex'
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed('GET, HEAD')
    const access = await requireAccess(services, request, context)
    context.tokenId = access.tokenId
    await rateLimit({ tokenId: access.tokenId, tenant: access.partnerId }, headers)
    const caller = callerOf({ tenant: access.partnerId, user: null, tokenId: access.tokenId })
    await withinCaller(context, caller, async () => {
      const csv = await cache.read(access.tokenId, caller, () =>
        // Several requests share the CSV, so computing it must not end with this request.
        withinWork(new RequestWork(caller), () => asLongWork(() => compute(services, access))),
      )
      await sendCsv(request, response, headers, csv)
    })
  }
}

/** @throws ApiError 401 without a key, 404 unless it is a valid key of this sheet */
async function requireAccess(
  { access, db, background }: Services,
  request: IncomingMessage,
  { path, search }: RequestContext,
): Promise<SheetAccess> {
  const key = keyOf(search, request.headers.authorization)
  // This challenge makes Excel and LibreOffice prompt for a user name and password.
  if (key === null) throw unauthorized('A key is required', 'Basic realm="Sheet", charset="UTF-8"')
  const found = isTokenForm(key) ? await access.load(hashToken(key)) : undefined
  if (found === undefined || !found.isSheet || found.partnerId === null) throw noSheet()
  if (String(found.tokenId) !== sheetPath.exec(path)![1]) throw noSheet()
  const { tokenId } = found
  const client = clientOf(request)
  if (found.useIsNews) background('token use', tokenId, () => recordTokenUse(db, tokenId, client))
  return found as SheetAccess
}

const authorizationForm = /^(bearer|basic) +([^ ]+) *$/i

/**
 * Returns the key of a request: `?key=`, a bearer token, or the password for any user name. Returns null if
 * there is none.
 */
function keyOf(search: string, authorization: string | undefined): string | null {
  const inQuery = new URLSearchParams(search).get('key')
  if (inQuery !== null) return inQuery
  const [, scheme = '', credentials = ''] = authorizationForm.exec(authorization ?? '') ?? []
  if (scheme === '') return null
  if (scheme.toLowerCase() === 'bearer') return credentials
  // User names cannot contain a colon (RFC 7617).
  const pair = Buffer.from(credentials, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}

async function compute(
  { db, replica, usual }: Services,
  { tokenId, partnerId }: SheetAccess,
): Promise<SheetCsv> {
  const sheet = await readSheet(db, partnerId, tokenId)
  if (sheet === undefined) throw noSheet()
  return writeSheetCsv({ db, reads: replica?.readsOf(listIdOf(partnerId)) ?? db, usual }, partnerId, sheet)
}

/** Sends the CSV, compressed if the client accepts that, or a 304. */
async function sendCsv(
  request: IncomingMessage,
  response: ServerResponse,
  ownHeaders: RequestContext['headers'],
  { gzipped, sizeBytes, etag }: SheetCsv,
): Promise<void> {
  const headers = {
    ...ownHeaders,
    ETag: etag,
    Vary: 'Authorization, Accept-Encoding',
    'Cache-Control': 'private, no-cache',
  }
  if (ifNoneMatchOf(request)(etag)) return void response.writeHead(304, headers).end()
  const isCompressed = new Negotiator(request).encodings(['gzip', 'identity'])[0] === 'gzip'
  response.writeHead(200, {
    ...headers,
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': 'attachment; filename="deals.csv"',
    'X-Content-Type-Options': 'nosniff',
    // The content may change between two range requests.
    'Accept-Ranges': 'none',
    ...(isCompressed && { 'Content-Encoding': 'gzip' }),
    'Content-Length': isCompressed ? gzipped.length : sizeBytes,
  })
  if (request.method === 'HEAD') return void response.end()
  if (isCompressed) return void response.end(gzipped)
  // The client may disconnect at any time.
  const gunzip = createGunzip()
  gunzip.end(gzipped)
  await pipeline(gunzip, response).catch(() => response.destroy())
}
