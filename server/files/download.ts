import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import contentDisposition from 'content-disposition'
import send from 'send'
import { actorOfSession } from '../access/actor.ts'
import { clientOf } from '../access/client.ts'
import type { Session } from '../accounts/session-store.ts'
import { networkOf } from '../accounts/sign-in/anonymous-limit.ts'
import { ApiError, methodNotAllowed, notFound, unavailable } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { type StorageName, type PreviewKind, previewKindOf, previewPolicy } from './file.ts'
import { type SignedUrl, openPath } from './signature.ts'
import { exactly, type ByteRange, ContentMissingError, type Storages } from './storage.ts'
import {
  type SignedDownload,
  type StoredFile,
  findFile,
  findSignedDownload,
  findSignedFile,
} from './store.ts'

/** Returns the error for a file URL that was altered or has expired. */
export const invalidFileUrl = () => new ApiError('FORBIDDEN', 'The URL is invalid or has expired')

/**
 * Responds to a signed URL with the file. Supports ranges and conditional requests (RFC 9110, sections 13 and
 * 14). `readSession` returns the session of the request.
 * @throws ApiError 403 if the URL is altered or expired, or its reader may no longer read the file; 404 if the file no
 * longer exists; 405; 416
 */
export async function download(
  services: Services,
  request: IncomingMessage,
  response: ServerResponse,
  readSession: () => Promise<Session | undefined>,
): Promise<void> {
  const url = openPath(services.fileKey, request.url ?? '', Date.now() / 1000)
  if (url === null) throw invalidFileUrl()
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw methodNotAllowed('GET, HEAD')
  }
  const found = await findSignedDownload(services.db, url.fileId)
  if (found === undefined) throw notFound('File')
  if (!(await mayRead(services, url, found, readSession))) throw invalidFileUrl()
  // A closed response emits no `close` event, so the share would never be released.
  if (response.closed) return
  const { file, partnerId } = found
  const release = services.admission.downloads.take(
    {
      kind: 'anonymous',
      group: `partner ${partnerId}`,
      member: networkOf(clientOf(request).address ?? ''),
    },
    { ofMember: tooManyDownloads, ofAll: unavailable },
  )
  response.once('close', release)
  setHeaders(response, file, url.isView ? previewKindOf(file.type) : null)
  await answers[file.storage](services, file, request, response).catch(async (error: unknown) => {
    // The file may have moved to another storage since the lookup.
    const current = response.headersSent ? undefined : await findSignedFile(services.db, url.fileId)
    if (current === undefined || current.storage === file.storage) throw error
    return answers[current.storage](services, current, request, response)
  })
}

/** Returns true if the reader that a URL was signed for may still read the file. */
async function mayRead(
  { db }: Services,
  url: SignedUrl,
  { file, readerId }: SignedDownload,
  readSession: () => Promise<Session | undefined>,
): Promise<boolean> {
  if (url.isOf('staff') || (readerId !== null && url.isOf(`partner ${readerId}`))) return true
  const session = await readSession()
  if (session === undefined || !url.isOf(`session ${session.hash}`)) return false
  return (await findFile(db, actorOfSession(session).tenant, file.id)) !== undefined
}

/** Sets the headers for downloading a file, or for displaying the file if `preview` is set. */
function setHeaders(response: ServerResponse, { name, type }: StoredFile, preview: PreviewKind | null): void {
  const isShown = preview !== null
  response.setHeader('Content-Type', type)
  response.setHeader('Content-Disposition', dispositionOf(name, isShown ? 'inline' : 'attachment'))
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader(
    'Content-Security-Policy',
    isShown ? previewPolicy(preview) : "sandbox; default-src 'none'",
  )
  if (isShown) {
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
    response.setHeader('Referrer-Policy', 'no-referrer')
  }
  response.setHeader('Cache-Control', 'private, no-cache')
}

type AnswerFile = (
  services: Services,
  file: StoredFile,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>

const fromDisk: AnswerFile = async ({ storages }, file, request, response) => {
  // An empty file has no valid range, but some clients add a range to every request.
  if (file.sizeBytes === 0) delete request.headers.range
  // `send` rejects a suffix range that is longer than the file; the standard treats such a range as the whole
  // file (RFC 9110, section 14.1.2).
  const lastBytes = /^bytes=-(\d+)$/.exec(request.headers.range ?? '')?.[1]
  if (lastBytes !== undefined && Number(lastBytes) > file.sizeBytes) request.headers.range = 'bytes=0-'
  // If the client has already disconnected, `close` is not emitted again and the promise would never resolve.
  if (response.destroyed) return
  await new Promise<void>((resolve, reject) => {
    response.once('close', resolve)
    send(request, encodeURI(storages.disk.pathOf(file.id)), {
      cacheControl: false,
      dotfiles: 'allow',
      index: false,
    })
      .on('error', (error: Error & { status?: number }) => reject(refusalOf(error, file, storages)))
      .on('directory', () => reject(notFound('File')))
      .on('stream', readInTurns)
      .pipe(response)
  })
}

/** Streams a file from the S3 store, for previews and for URLs signed before the file was moved there. */
const fromStore: AnswerFile = async (services, file, request, response) => {
  const { sizeBytes } = file
  // Responses from the store have no validator, so `If-Range` never matches (RFC 9110, section 13.1.5).
  const header = request.headers['if-range'] === undefined ? request.headers.range : undefined
  const range = readRange(header, sizeBytes)
  if (range === null) throw noSuchRange(sizeBytes)
  const content = await open(services, file, range)
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 }
  const length = end - start + 1
  response.setHeader('Accept-Ranges', 'bytes')
  response.setHeader('Content-Length', length)
  if (range !== undefined) {
    response.statusCode = 206
    response.setHeader('Content-Range', `bytes ${start}-${end}/${sizeBytes}`)
  }
  await pass(content, request, response, (bytes) => exactly(bytes, length))
}

/**
 * Streams a preview from the CRM. Always sends the whole file, because the recorded size may be that of
 * another version.
 */
const fromCrm: AnswerFile = async (services, file, request, response) =>
  pass(await open(services, file), request, response)

const answers: Record<StorageName, AnswerFile> = { disk: fromDisk, s3: fromStore, crm: fromCrm }

/** Opens the content of a file, or a range of the content. @throws ApiError 404 if it is missing */
const open = ({ storages }: Services, file: StoredFile, range?: ByteRange) =>
  storages
    .of(file.storage)
    .open(file.id, range)
    .catch((error: unknown) => {
      throw error instanceof ContentMissingError ? notFound('File') : error
    })

/** Streams content to the response through `check`. */
async function pass(
  content: Readable,
  request: IncomingMessage,
  response: ServerResponse,
  // With a generator, the pipeline adds few enough listeners to the response that Node does not warn of a leak.
  check: (content: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> = async function* (bytes) {
    yield* bytes
  },
): Promise<void> {
  if (request.method === 'HEAD' || response.destroyed) {
    // A stream that is destroyed early may still emit an error.
    content.on('error', () => {}).destroy()
    response.end()
    return
  }
  // If the client disconnects or the store fails, the pipeline closes both streams.
  await pipeline(content, check, response).catch(() => response.destroy())
}

const tooManyDownloads = () =>
  new ApiError('TOO_MANY_REQUESTS', 'Too many concurrent downloads', {
    headers: { 'Retry-After': '10' },
  })

const noSuchRange = (sizeBytes: number) =>
  new ApiError('RANGE_NOT_SATISFIABLE', 'The file has no such range', {
    headers: { 'Content-Range': `bytes */${sizeBytes}` },
  })

function refusalOf(
  error: Error & { status?: number },
  { sizeBytes }: StoredFile,
  { disk }: Storages,
): unknown {
  const problem = disk.readProblem(error)
  if (problem !== error) return problem
  if (error.status === 404) return notFound('File')
  if (error.status === 412) return new ApiError('PRECONDITION_FAILED', 'The file has changed')
  return error.status === 416 ? noSuchRange(sizeBytes) : error
}

/**
 * Returns the `Content-Disposition` header for a file name. The header is pure ASCII, because clients and
 * stores interpret other characters differently; `filename*` contains names with other characters (RFC 6266).
 */
export const dispositionOf = (name: string, type: 'attachment' | 'inline' = 'attachment') =>
  contentDisposition(name, { type, fallback: name.replaceAll(/[^\x20-\x7e]/gu, '?') })

/**
 * Parses a `Range` header for content of this size (RFC 9110, section 14.1.2). Returns undefined if the whole
 * content should be sent, which includes several ranges, unknown units and empty content. Returns null if the
 * range cannot be satisfied.
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | undefined | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  // Some clients add a range to every request; for empty content they get an empty response, as with nginx
  // and Go's file server.
  if (sizeBytes === 0) return undefined
  const end = sizeBytes - 1
  if (first === '') {
    const start = Math.max(0, sizeBytes - Number(last))
    return Number(last) === 0 ? null : { start, end }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  return start > end ? null : { start, end: last === '' ? end : Math.min(Number(last), end) }
}

/** Number of parts to read before other work gets a turn. */
const partsAtOnce = 2

const waiting: (() => unknown)[] = []

function giveTurns(): void {
  for (const read of waiting.splice(0, partsAtOnce)) read()
  if (waiting.length > 0) setImmediate(giveTurns)
}

/** Makes file streams take turns reading, so that many concurrent downloads do not delay other work. */
export function readInTurns(stream: Readable): void {
  const read = stream._read.bind(stream)
  stream._read = (size) => {
    // The client may have disconnected before this stream's turn.
    const part = () => stream.destroyed || read(size)
    if (waiting.push(part) === 1) setImmediate(giveTurns)
  }
}
