import type { Database } from '#db/client.ts'
import type { Actor } from '../access/actor.ts'
import { forOperators, personal, router, scoped } from '../access/procedure.ts'
import { isEveryone } from '../accounts/partner.ts'
import { notFound } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { extensionOf } from './file.ts'
import { thumbnailMaxBytes } from './policy.ts'
import { previewKindOf } from './preview.ts'
import { type Reader, signPath, signViewPath } from './signature.ts'
import { type StoredFile, findFile, readFiles } from './store.ts'
import * as uploads from './uploads/actions.ts'
import { AppendFile, BeginFile, FileAccess, GetFile, ListFiles } from './wire.ts'

/** Returns the dependencies of uploads. */
const uploading = ({ db, actor, services }: { db: Database; actor: Actor; services: Services }) => ({
  db,
  actor,
  storages: services.storages,
  scanCommand: services.config.fileScanCommand,
  isForThread: false,
  log: services.log,
})

export const filesRouter = router({
  get: scoped('files:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/api/files/{id}',
        operationId: 'getFile',
        tags: ['Files'],
        summary: 'Get file by id',
        description: 'Metadata of a file and a URL that works without a token until it expires.',
      },
    })
    .input(GetFile)
    .output(FileAccess)
    .query(async ({ ctx, input: { id } }) => {
      const { file, url, expiresAt } = await signFile(ctx, id)
      return {
        url: url.startsWith('/') ? ctx.config.publicUrl + url : url,
        expiresAt: expiresAt.toISOString(),
        name: file.name,
        extension: extensionOf(file.name),
        type: file.type,
        size: file.sizeBytes,
      }
    }),

  /** Returns a URL from which the caller's browser downloads a file until the caller signs out. */
  download: personal
    .input(GetFile)
    .query(async ({ ctx, input: { id } }) => ({ url: (await signFile(ctx, id)).url })),

  /** Returns the files of a deal, with preview URLs if a browser can show them. */
  list: personal.input(ListFiles).query(async ({ ctx: { db, services, actor }, input: { dealId } }) => {
    const expiresAt = Math.floor(Date.now() / 1000) + services.config.fileUrlTtlS
    const found = await readFiles(db, actor.tenant, dealId)
    return found.map((file) =>
      show(file, signViewPath(services.fileKey, file.id, readerOf(actor), expiresAt)),
    )
  }),

  /** Creates an upload for a file sent in slices. Returns its id, which becomes the file's. */
  begin: forOperators.input(BeginFile).mutation(async ({ ctx, input }) => ({
    id: await uploads.beginUpload(uploading(ctx), { ...input, threadPartnerId: null }),
  })),

  /** Stores the next slice of a file if it is the expected one. Returns the number of bytes received. */
  append: forOperators
    .input(AppendFile)
    .mutation(({ ctx, input: { id, ...slice } }) => uploads.appendToUpload(uploading(ctx), id, slice)),

  /** Adds a completely uploaded file to its deal. */
  finish: forOperators
    .input(GetFile)
    .mutation(({ ctx, input: { id } }) => uploads.finishUpload(uploading(ctx), id)),

  /** Discards an unfinished upload. */
  discard: forOperators
    .input(GetFile)
    .mutation(({ ctx, input: { id } }) => uploads.discardUpload(uploading(ctx), id)),

  /** Removes a file from its deal. */
  remove: forOperators
    .input(GetFile)
    .mutation(({ ctx, input: { id } }) => uploads.removeFile(uploading(ctx), id)),
})

interface Signing {
  db: Database
  actor: Actor
  services: Services
}

/**
 * Returns a file that the actor sees, a URL of it, without an origin if we serve it, and the URL's expiry.
 * @throws ApiError 404, also if its content is missing, to which a URL would be worse
 */
async function signFile({ db, actor, services }: Signing, id: string) {
  const file = await findFile(db, actor.tenant, id)
  if (file === undefined) throw notFound('File')
  const storage = services.storages.of(file.storage)
  if (storage.access !== undefined) {
    const signed = await storage.access(id)
    if (signed === null) throw notFound('File')
    return { file, ...signed }
  }
  if ((await storage.sizeOf(id)) === null) throw notFound('File')
  const expiresAtS = Math.floor(Date.now() / 1000) + services.config.fileUrlTtlS
  // A store does not know when the deal moves, so we serve what is attached to questions.
  const isOurs = storage.urlOf === undefined || file.threadPartnerId !== null
  const url = isOurs
    ? signPath(services.fileKey, id, readerOf(actor), expiresAtS)
    : await storage.urlOf!(file, expiresAtS)
  return { file, url, expiresAt: new Date(expiresAtS * 1000) }
}

/** Returns whose access the URLs of an actor have. */
function readerOf({ user, tenant }: Actor): Reader {
  if (user !== null) return `session ${user.sessionHash}`
  return isEveryone(tenant) ? 'staff' : `partner ${tenant}`
}

/** Returns a file as shown on pages; `viewUrl` shows it. */
function show({ id, name, type, kind, sizeBytes, createdAt }: StoredFile, viewUrl: string) {
  const preview = previewKindOf(type)
  return {
    id,
    name,
    extension: extensionOf(name),
    type,
    kind,
    size: sizeBytes,
    createdAt,
    view: preview && { kind: preview, url: viewUrl, isSmall: sizeBytes <= thumbnailMaxBytes },
  }
}
