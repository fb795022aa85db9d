import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** A stored object. If it has no time, it was stored just now. */
interface StoredObject {
  content: Buffer
  type: string | undefined
  storedAt?: Date
}

interface UnfinishedUpload {
  key: string
  begunAt: Date
  parts: Map<number, Buffer>
}

/** A bucket with its objects in memory. */
export interface Bucket {
  objects: Map<string, StoredObject>
  /** Multipart uploads by ID that are neither completed nor aborted. */
  uploads: Map<string, UnfinishedUpload>
  /**
   * Responds to a request whose signature was verified.
   * @throws S3Error
   */
  serve(exchange: Exchange): void
}

/** An error response of the S3 protocol. */
export class S3Error extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  url: URL
  key: string
  body: Buffer
}

const etagOf = (content: Buffer) => `"${createHash('md5').update(content).digest('hex')}"`

function sendXml(response: ServerResponse, xml: string): void {
  response.setHeader('Content-Type', 'application/xml')
  response.end(`<?xml version="1.0" encoding="UTF-8"?>${xml}`)
}

/** Creates an empty bucket. */
export function makeBucket(): Bucket {
  const objects: Bucket['objects'] = new Map()
  const uploads: Bucket['uploads'] = new Map()
  return {
    objects,
    uploads,
    serve(exchange) {
      const { request, response, url, key, body } = exchange
      const upload = url.searchParams.get('uploadId')
      switch (`${request.method}${key === '' ? ' bucket' : ''}`) {
        case 'HEAD bucket':
          response.end()
          return
        case 'GET bucket':
          list(objects, uploads, exchange)
          return
        case 'PUT':
          if (upload === null) objects.set(key, { content: body, type: request.headers['content-type'] })
          else uploadOf(upload).parts.set(Number(url.searchParams.get('partNumber')), body)
          response.setHeader('ETag', etagOf(body)).end()
          return
        case 'POST':
          if (upload === null) begin(response, key)
          else complete(exchange, upload)
          return
        case 'DELETE':
          if (upload === null) objects.delete(key)
          else if (!uploads.delete(upload)) throw new S3Error(404, 'NoSuchUpload')
          response.writeHead(204).end()
          return
        default:
          send(objects.get(key), exchange)
      }
    },
  }

  function uploadOf(id: string): UnfinishedUpload {
    const upload = uploads.get(id)
    if (upload === undefined) throw new S3Error(404, 'NoSuchUpload')
    return upload
  }

  function begin(response: ServerResponse, key: string): void {
    const id = randomUUID()
    uploads.set(id, { key, begunAt: new Date(), parts: new Map() })
    sendXml(
      response,
      `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    )
  }

  function complete({ response, key, body }: Exchange, uploadId: string): void {
    const { parts } = uploadOf(uploadId)
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)]
    const contents = named.map(([, number]) => parts.get(Number(number)))
    if (contents.includes(undefined)) throw new S3Error(400, 'InvalidPart')
    if (contents.slice(0, -1).some((content) => content!.length < partMinBytes))
      throw new S3Error(400, 'EntityTooSmall')
    objects.set(key, { content: Buffer.concat(contents as Buffer[]), type: undefined })
    uploads.delete(uploadId)
    sendXml(response, '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>')
  }
}

const partMinBytes = 5 * 1024 * 1024

function send(object: StoredObject | undefined, { request, response, url }: Exchange): void {
  if (object === undefined) throw new S3Error(404, 'NoSuchKey')
  const { content } = object
  const { isPart, start, end } = rangeOf(request, response, content.length)
  const type = url.searchParams.get('response-content-type') ?? object.type ?? 'binary/octet-stream'
  const disposition = url.searchParams.get('response-content-disposition')
  response.setHeader('Content-Type', type)
  response.setHeader('ETag', etagOf(content))
  response.setHeader('Last-Modified', (object.storedAt ?? new Date()).toUTCString())
  if (disposition !== null) response.setHeader('Content-Disposition', disposition)
  const sent = isPart ? content.subarray(start, end + 1) : content
  response.end(request.method === 'HEAD' ? undefined : sent)
}

/**
 * Sets the status and headers of a response to a request for an object of this size, or for a range of it.
 * Returns the range to send.
 * @throws S3Error
 */
function rangeOf(request: IncomingMessage, response: ServerResponse, sizeBytes: number | undefined) {
  if (sizeBytes === undefined) throw new S3Error(404, 'NoSuchKey')
  response.setHeader('Accept-Ranges', 'bytes')
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const isPart = from !== undefined
  const start = Number(from ?? 0)
  const end = Math.min(to === undefined || to === '' ? sizeBytes - 1 : Number(to), sizeBytes - 1)
  if (isPart) {
    if (start >= sizeBytes) throw new S3Error(416, 'InvalidRange')
    response.statusCode = 206
    response.setHeader('Content-Range', `bytes ${start}-${end}/${sizeBytes}`)
  }
  response.setHeader('Content-Length', end - start + 1)
  return { isPart, start, end }
}

/** Lists two keys at a time to force paging, or lists unfinished uploads. */
function list(objects: Bucket['objects'], uploads: Bucket['uploads'], exchange: Exchange): void {
  const { response, url } = exchange
  if (url.searchParams.has('uploads')) return listUploads(uploads, exchange)
  const after = url.searchParams.get('continuation-token') ?? url.searchParams.get('start-after') ?? ''
  const prefix = url.searchParams.get('prefix') ?? ''
  const keys = [...objects.keys()].filter((key) => key > after && key.startsWith(prefix)).toSorted()
  const page = keys.slice(0, 2)
  const isTruncated = keys.length > page.length
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  sendXml(
    response,
    `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents}</ListBucketResult>`,
  )
}

/** Lists one upload at a time, sorted by key and then by ID like in Amazon S3. */
function listUploads(uploads: Bucket['uploads'], { response, url }: Exchange): void {
  const prefix = url.searchParams.get('prefix') ?? ''
  const [key, id] = ['key-marker', 'upload-id-marker'].map((name) => url.searchParams.get(name) ?? '')
  const after = `${key} ${id}`
  const [first, ...others] = [...uploads]
    .map(([uploadId, upload]) => ({ id: uploadId, ...upload, place: `${upload.key} ${uploadId}` }))
    .filter((upload) => upload.place > after && upload.key.startsWith(prefix))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
  const listed =
    first &&
    `<NextKeyMarker>${first.key}</NextKeyMarker><NextUploadIdMarker>${first.id}</NextUploadIdMarker>` +
      `<Upload><Key>${first.key}</Key><UploadId>${first.id}</UploadId>` +
      `<Initiated>${first.begunAt.toISOString()}</Initiated></Upload>`
  sendXml(
    response,
    `<ListMultipartUploadsResult><IsTruncated>${others.length > 0}</IsTruncated>${listed ?? ''}</ListMultipartUploadsResult>`,
  )
}
