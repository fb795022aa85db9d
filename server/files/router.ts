import { router, scoped } from '../access/procedure.ts'
import { notFound } from '../protocol/errors.ts'
import { extensionOf } from './file.ts'
import { findFile } from './store.ts'
import { FileAccess, GetFile } from './wire.ts'

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
      const file = await findFile(db, actor.reach, id)
      if (file === undefined) throw notFound('File')
      const storage = services.storages.of(file.storage)
      // A URL to nothing would tell the partner less.
      if ((await storage.sizeOf(id)) === null) throw notFound('File')
      const expiresAt = Math.floor(Date.now() / 1000) + config.fileUrlTtlS
      return {
        url: await storage.urlOf(file, expiresAt),
        expiresAt: new Date(expiresAt * 1000).toISOString(),
        name: file.name,
        extension: extensionOf(file.name),
        type: file.type,
        size: file.sizeBytes,
      }
    }),
})
