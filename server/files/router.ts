import { forOperators, personal, router } from '../access/procedure.ts'
import * as uploads from './actions.ts'
import { extensionOf, previewKindOf } from './file.ts'
import { fileOperations, readerOf, signFile } from './operations.ts'
import { thumbnailMaxBytes } from './policy.ts'
import { signViewPath } from './signature.ts'
import { type StoredFile, readFiles } from './store.ts'
import { AppendFile, BeginFile, GetFile, ListFiles } from './wire.ts'

const contextOf = (ctx: Parameters<typeof uploads.uploadContextOf>[0]) => uploads.uploadContextOf(ctx, false)

export const filesRouter = router({
  ...fileOperations,

  /** Returns a URL at which the caller's browser can download a file until the caller signs out. */
  download: personal
    .input(GetFile)
    .query(async ({ ctx, input: { id } }) => ({ url: (await signFile(ctx, id)).url })),

  /** Returns the files of a deal. Files that browsers can display have a preview URL. */
  list: personal.input(ListFiles).query(async ({ ctx: { db, services, actor }, input: { dealId } }) => {
    const expiresAt = Math.floor(Date.now() / 1000) + services.config.fileUrlTtlS
    const found = await readFiles(db, actor.tenant, dealId)
    return found.map((file) =>
      show(file, signViewPath(services.fileKey, file.id, readerOf(actor), expiresAt)),
    )
  }),

  /**
   * Creates an upload for a file that is sent in slices. Returns the upload's ID, which becomes the file's
   * ID.
   */
  begin: forOperators.input(BeginFile).mutation(async ({ ctx, input }) => ({
    id: await uploads.beginUpload(contextOf(ctx), { ...input, threadPartnerId: null }),
  })),

  /**
   * Stores the next slice of a file, provided that the slice begins where the last one ended. Returns the
   * number of bytes received so far.
   */
  append: forOperators
    .input(AppendFile)
    .mutation(({ ctx, input: { id, ...slice } }) => uploads.appendToUpload(contextOf(ctx), id, slice)),

  /** Adds a fully uploaded file to its deal. */
  finish: forOperators
    .input(GetFile)
    .mutation(({ ctx, input: { id } }) => uploads.finishUpload(contextOf(ctx), id)),

  /** Discards an unfinished upload. */
  discard: forOperators
    .input(GetFile)
    .mutation(({ ctx, input: { id } }) => uploads.discardUpload(contextOf(ctx), id)),

  /** Removes a file from its deal. */
  remove: forOperators
    .input(GetFile)
    .mutation(({ ctx, input: { id } }) => uploads.removeFile(contextOf(ctx), id)),
})

/** Returns a file in the form shown on pages; `viewUrl` is the URL that displays the file. */
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
