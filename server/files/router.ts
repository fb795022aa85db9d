import type { Database } from '#db/client.ts'
import type { Actor } from '../access/actor.ts'
import { forOperators, personal, router } from '../access/procedure.ts'
import type { Services } from '../runtime/services.ts'
import { extensionOf } from './file.ts'
import { fileOperations, readerOf, signFile } from './operations.ts'
import { thumbnailMaxBytes } from './policy.ts'
import { previewKindOf } from './preview.ts'
import { signViewPath } from './signature.ts'
import { type StoredFile, readFiles } from './store.ts'
import * as uploads from './uploads/actions.ts'
import { AppendFile, BeginFile, GetFile, ListFiles } from './wire.ts'

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
  ...fileOperations,

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
