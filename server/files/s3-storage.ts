import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type Readable, pipeline } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
  PutObjectCommand,
  S3Client,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { ApiError } from '../errors.ts'
import { dispositionOf } from './download.ts'
import {
  type ByteRange,
  type Content,
  ContentMissingError,
  Measuring,
  type NamedFile,
  type Storage,
  type Stored,
} from './storage.ts'
import { type StoreFailure, type StoreStep, storeProblem } from './store-problem.ts'

// This module must be imported only if a store is configured, because the SDK takes memory and startup time.

export interface StoreSettings {
  endpoint: string | undefined
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** True if the path of each URL contains the bucket, as most stores other than Amazon S3 require. */
  pathStyle: boolean
}

/** Exceeds the maximum number of concurrent downloads, so that slow clients never use up all sockets. */
const maxSockets = 400

/** Timeouts for connecting, for a response to a short request, and for inactivity. */
interface StoreTimeouts {
  connectMs: number
  answerMs: number
  idleMs: number
}

const usualTimeouts: StoreTimeouts = { connectMs: 3000, answerMs: 8000, idleMs: 30_000 }

// Each upload buffers two parts in memory. An upload has at most 10,000 parts, so an object is limited to 80
// GB.
const partBytes = 8 * 1024 * 1024
const partsAtOnce = 2

const problemMs = 3000

/** A storage in an S3-compatible store. */
export class S3Storage implements Storage {
  readonly name = 's3'
  readonly #client: S3Client
  readonly #bucket: string
  readonly #where: { store: string }
  readonly #report: (failure: StoreFailure) => void
  readonly #prefix: string
  readonly #answerMs: number

  /** `report` is called with the reason if the store cannot be used. All keys start with `prefix`. */
  constructor(
    settings: StoreSettings,
    report: (failure: StoreFailure) => void,
    { prefix = 'files/', timeouts: { connectMs, answerMs, idleMs } = usualTimeouts } = {},
  ) {
    this.#client = new S3Client({
      ...(settings.endpoint !== undefined && { endpoint: settings.endpoint }),
      region: settings.region,
      credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
      forcePathStyle: settings.pathStyle,
      maxAttempts: 3,
      // Many stores do not support the newer checksums. Every part has a signed SHA-256 anyway.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: connectMs,
        socketTimeout: idleMs,
        httpAgent: { keepAlive: true, maxSockets },
        httpsAgent: { keepAlive: true, maxSockets },
      },
    })
    this.#bucket = settings.bucket
    this.#where = { store: `${settings.bucket} at ${settings.endpoint ?? 'Amazon S3'}` }
    this.#report = report
    this.#prefix = prefix
    this.#answerMs = answerMs
  }

  put(key: string, content: Content): Promise<Stored> {
    if (Buffer.isBuffer(content)) return this.#asking('write', this.#keep(key, content))
    const source = typeof content === 'string' ? createReadStream(content) : content
    return this.#asking('write', this.#upload(key, source))
  }

  async remove(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#nameOf(key))
    await this.#asking('remove', this.#client.send(command, this.#briefly()))
  }

  async sizeOf(key: string): Promise<number | null> {
    const found = await this.#find(key)
    return found === null ? null : (found.ContentLength ?? 0)
  }

  async ageMs(key: string): Promise<number | null> {
    const found = await this.#find(key)
    if (found === null) return null
    // Treats objects without a date as new.
    return found.LastModified === undefined ? 0 : this.#ageOf(found.LastModified)
  }

  open(key: string, range?: ByteRange): Promise<Readable> {
    return this.#asking('read', this.#open(key, range && `bytes=${range.start}-${range.end}`))
  }

  urlOf({ id, name, type }: NamedFile, expiresAt: number): Promise<string> {
    const command = new GetObjectCommand({
      ...this.#nameOf(id),
      ResponseContentDisposition: dispositionOf(name),
      ResponseContentType: type,
    })
    const nowMs = Date.now()
    return getSignedUrl(this.#client, command, {
      expiresIn: Math.max(1, expiresAt - Math.floor(nowMs / 1000)),
      // Uses the store's clock, which the SDK learns from responses.
      signingDate: new Date(nowMs + this.#client.config.systemClockOffset),
    })
  }

  async *keys(): AsyncIterable<string[]> {
    const within = { Bucket: this.#bucket, Prefix: this.#prefix }
    const pages = paginateListObjectsV2({ client: this.#client }, within)[Symbol.asyncIterator]()
    for (;;) {
      const page = await this.#asking('list', pages.next())
      if (page.done === true) return
      yield (page.value.Contents ?? []).map(({ Key }) => Key!.slice(this.#prefix.length))
    }
  }

  abortUploads(olderThanMs: number, isStopping: () => boolean): Promise<number> {
    return this.#asking('abort uploads', this.#abortUploads(olderThanMs, isStopping))
  }

  async problem(): Promise<string | null> {
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket }), {
        abortSignal: AbortSignal.timeout(Math.min(this.#answerMs, problemMs)),
      })
      return null
    } catch (error) {
      const cause = isMissing(error)
        ? `there is no bucket ${this.#bucket}`
        : (storeProblem(error)?.cause ?? 'the store cannot be used')
      this.#report({ ...this.#where, step: 'look for the bucket', cause })
      return cause
    }
  }

  /** Returns how long ago a time was, by the store's clock. */
  #ageOf(time: Date): number {
    return Math.max(0, Date.now() + this.#client.config.systemClockOffset - time.getTime())
  }

  /** Returns the metadata of an object, or null if there is no such object. */
  #find(key: string): Promise<HeadObjectCommandOutput | null> {
    const found = this.#client.send(new HeadObjectCommand(this.#nameOf(key)), this.#briefly())
    return this.#asking(
      'look up',
      found.catch((error: unknown) => {
        if (isMissing(error)) return null
        throw error
      }),
    )
  }

  async #keep(key: string, content: Buffer): Promise<Stored> {
    await this.#client.send(new PutObjectCommand({ ...this.#nameOf(key), Body: content }))
    return { sizeBytes: content.length, checksum: createHash('sha256').update(content).digest('hex') }
  }

  async #upload(key: string, source: AsyncIterable<Uint8Array>): Promise<Stored> {
    const measuring = new Measuring()
    const broken = Promise.withResolvers<never>()
    broken.promise.catch(() => {})
    const sending = new Upload({
      client: this.#client,
      params: {
        ...this.#nameOf(key),
        Body: pipeline(source, measuring, (error) => error && broken.reject(error)),
      },
      partSize: partBytes,
      queueSize: partsAtOnce,
    })
    try {
      await Promise.race([sending.done(), broken.promise])
      return measuring.result()
    } catch (error) {
      // Otherwise the store would keep the uploaded parts and charge for them.
      await sending.abort().catch(() => {})
      throw error
    } finally {
      measuring.destroy()
    }
  }

  async #abortUploads(olderThanMs: number, isStopping: () => boolean): Promise<number> {
    let aborted = 0
    for await (const { Key, UploadId, Initiated } of this.#uploads()) {
      if (isStopping()) break
      if (Initiated === undefined || this.#ageOf(Initiated) < olderThanMs) continue
      const upload = { Bucket: this.#bucket, Key, UploadId }
      try {
        await this.#client.send(new AbortMultipartUploadCommand(upload), this.#briefly())
        aborted++
      } catch (error) {
        // The upload was completed or aborted in the meantime.
        if (!hasName(error, 'NoSuchUpload')) throw error
      }
    }
    return aborted
  }

  /** Yields multipart uploads that have been neither completed nor aborted. */
  async *#uploads(): AsyncIterable<MultipartUpload> {
    const within = { Bucket: this.#bucket, Prefix: this.#prefix }
    let page: Partial<ListMultipartUploadsCommandOutput> = {}
    do {
      const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
      const command = new ListMultipartUploadsCommand({ ...within, KeyMarker, UploadIdMarker })
      page = await this.#client.send(command, this.#briefly())
      yield* page.Uploads ?? []
    } while (page.IsTruncated === true)
  }

  async #open(key: string, range: string | undefined): Promise<Readable> {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), this.#answerMs)
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ ...this.#nameOf(key), Range: range }), {
        abortSignal: controller.signal,
      })
      return Body as Readable
    } catch (error) {
      throw isMissing(error) ? new ContentMissingError() : error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Reports errors of the store to the operator. Callers only learn that the store is unavailable. */
  async #asking<T>(step: StoreStep, work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      const problem = error instanceof ContentMissingError ? null : storeProblem(error)
      if (problem === null) throw error
      this.#report({ ...this.#where, step, cause: problem.cause })
      throw new ApiError('SERVICE_UNAVAILABLE', problem.message, { headers: { 'Retry-After': '5' } })
    }
  }

  readonly #nameOf = (key: string) => ({ Bucket: this.#bucket, Key: this.#prefix + key })
  readonly #briefly = () => ({ abortSignal: AbortSignal.timeout(this.#answerMs) })
}

const isMissing = (error: unknown) => hasName(error, 'NoSuchKey', 'NotFound')

const hasName = (error: unknown, ...names: string[]) => error instanceof Error && names.includes(error.name)
