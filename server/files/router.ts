import type { Database } from '#db/client.ts'
import type { Actor } from '../access/actor.ts'
import { forOperators, personal, router, scoped } from '../access/procedure.ts'
import { notFound } from '../protocol/errors.ts'
import type { Services } from '../runtime/services.ts'
import { extensionOf } from './file.ts'
import { thumbnailMaxBytes } from './policy.ts'
import { previewKindOf } from './preview.ts'
import { signViewPath } from './signature.ts'
import type { Storage } from './storage.ts'
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
        tags: ['Files'],
        summary: 'Get file by id',
        description: 'Metadata of a file and a URL that works without a token until it expires.',
      },
    })
    .input(GetFile)
    .output(FileAccess)
    .query(async ({ ctx: { db, config, services, actor }, input: { id } }) => {
      const file = await findFile(db, actor.tenant, id)
      if (file === undefined) throw notFound('File')
      const signed = await signFile(services.storages.of(file.storage), file, config.fileUrlTtlS)
      // A URL to a missing content would be worse than a 404.
      if (signed === null) throw notFound('File')
      return {
        url: signed.url,
        expiresAt: signed.expiresAt.toISOString(),
        name: file.name,
        extension: extensionOf(file.name),
        type: file.type,
        size: file.sizeBytes,
      }
    }),

  /** Returns the files of a deal, with preview URLs if a browser can show them. */
  list: personal.input(ListFiles).query(async ({ ctx: { db, services, actor }, input: { dealId } }) => {
    const expiresAt = Math.floor(Date.now() / 1000) + services.config.fileUrlTtlS
    const found = await readFiles(db, actor.tenant, dealId)
    return found.map((file) => show(file, signViewPath(services.fileKey, file.id, expiresAt)))
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

/** Returns a URL of a file and its expiry; null if its content is missing. */
async function signFile(storage: Storage, file: StoredFile, ttlS: number) {
  if (storage.access !== undefined) return storage.access(file.id)
  if ((await storage.sizeOf(file.id)) === null) return null
  const expiresAt = Math.floor(Date.now() / 1000) + ttlS
  return { url: await storage.urlOf(file, expiresAt), expiresAt: new Date(expiresAt * 1000) }
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
