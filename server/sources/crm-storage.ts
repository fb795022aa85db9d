import type { Readable } from 'node:stream'
import type { Database } from '#db/client.ts'
import { ContentMissing, type Storage } from '../files/storage.ts'
import { decryptFor } from '../protocol/encryption.ts'
import { Refusal } from '../protocol/errors.ts'
import { type CrmSource, SourceFailure } from './crm-source.ts'
import { findFileSource } from './file-store.ts'
import { openCrm } from './open-crm.ts'
import { ownerOfSecret } from './secret-owner.ts'

/** What opening the CRM of a file takes. */
interface Means {
  db: Database
  encryptionKey: Buffer
  hubspotUrl: string
}

const answerTimeoutMs = 15_000

/** Returns the storage of files whose contents stay in the CRM: it is only read, and whole. */
export function crmStorage(means: Means): Storage {
  const sign = (key: string) => withCrm(means, key, async (crm) => (await crm.signFile?.(key)) ?? null)
  const refuse = () => Promise.reject(new Error('the CRM is not written'))
  return {
    name: 'crm',
    put: refuse,
    remove: () => Promise.resolve(),
    sizeOf: refuse,
    ageMs: refuse,
    access: sign,
    async urlOf({ id }) {
      const signed = await sign(id)
      if (signed === null) throw new ContentMissing()
      return signed.url
    },
    open: (key) => withCrm(means, key, (crm) => openFrom(crm, key), false),
    async *keys() {},
    problem: () => Promise.resolve(null),
  }
}

async function openFrom(crm: CrmSource, key: string): Promise<Readable> {
  const signed = (await crm.signFile?.(key)) ?? null
  if (signed === null) throw new ContentMissing()
  const content = await crm.openFile!(signed.url)
  return content.once('close', () => void crm.close())
}

/** Opens the CRM that a file comes from. @throws Refusal 503 when it cannot be asked; ContentMissing without one */
async function withCrm<T>(
  { db, encryptionKey, hubspotUrl }: Means,
  fileId: string,
  work: (crm: CrmSource) => Promise<T>,
  closes = true,
): Promise<T> {
  const source = await findFileSource(db, fileId)
  if (source === undefined) throw new ContentMissing()
  const secret = decryptFor(ownerOfSecret(source.id), source.secret, encryptionKey)
  const signal = closes ? AbortSignal.timeout(answerTimeoutMs) : new AbortController().signal
  const crm = openCrm(source, secret, { hubspotUrl, signal, attempts: 1 })
  let isDone = false
  try {
    const result = await work(crm)
    isDone = true
    return result
  } catch (error) {
    if (
      error instanceof SourceFailure ||
      (error instanceof Error && /^(?:TimeoutError|AbortError)$/.test(error.name))
    )
      throw new Refusal('SERVICE_UNAVAILABLE', 'The CRM that holds the file does not answer', {
        headers: { 'Retry-After': '10' },
      })
    throw error
  } finally {
    if (closes || !isDone) await crm.close()
  }
}
