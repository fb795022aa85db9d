import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Database } from '#db/client.ts'
import { installation } from '#db/schema/health.ts'
import { decryptFor, encryptFor } from '../values/encryption.ts'

const owner = 'installation'

/**
 * Checks that the encryption key is the one recorded when the installation first started. Records the key on
 * the first start.
 * @throws DecryptionError
 * @system the start
 */
export async function checkInstallationKey(db: Database, key: Buffer): Promise<void> {
  const read = () => db.select({ keyCheck: installation.keyCheck }).from(installation)
  let [known] = await read()
  if (known?.keyCheck == null) {
    await db
      .insert(installation)
      .values({ keyCheck: encryptFor(owner, '', key, randomBytes) })
      .onConflictDoUpdate({
        target: installation.isOnly,
        set: { keyCheck: sql`coalesce(${installation.keyCheck}, excluded.key_check)` },
      })
    // Another process may have recorded the key first.
    ;[known] = await read()
  }
  decryptFor(owner, known!.keyCheck!, key)
}
