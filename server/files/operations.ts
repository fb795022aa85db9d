import type { Database } from '#db/client.ts'
import type { Actor } from '../access/actor.ts'
import { scoped } from '../access/procedure.ts'
import { isEveryone } from '../accounts/partner.ts'
import { notFound } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { extensionOf } from './file.ts'
import { type Reader, signPath } from './signature.ts'
import { findFile } from './store.ts'
import { FileAccess, GetFile } from './wire.ts'

/** REST operations for files. */
export const fileOperations = {
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
}

interface Signing {
  db: Database
  actor: Actor
  services: Services
}

/**
 * Returns a file that the actor can see, a URL for downloading it, and when the URL expires. The URL has no
 * origin if this portal serves the file.
 * @throws ApiError 404 if the file or its content is missing
 */
export async function signFile({ db, actor, services }: Signing, id: string) {
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
  // We serve attachments ourselves, because a URL of the store would still work after the deal has moved to
  // another partner.
  const isOurs = storage.urlOf === undefined || file.threadPartnerId !== null
  const url = isOurs
    ? signPath(services.fileKey, id, readerOf(actor), expiresAtS)
    : await storage.urlOf!(file, expiresAtS)
  return { file, url, expiresAt: new Date(expiresAtS * 1000) }
}

/** Returns the reader whose access limits the file URLs of an actor. */
export function readerOf({ user, tenant }: Actor): Reader {
  if (user !== null) return `session ${user.sessionHash}`
  return isEveryone(tenant) ? 'staff' : `partner ${tenant}`
}
