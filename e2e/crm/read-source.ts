import { openDatabase } from '#db/client.ts'
import { storagesOf } from '#server/files/storage.ts'
import { leaseDueSource } from '#server/sources/lease-store.ts'
import { runLeased } from '#server/sources/source-follower.ts'
import { memoryStorage } from './memory-storage.ts'

// A process that reads a source once, killed by tests: node e2e/crm/read-source.ts <database> <HubSpot> <key>

const [databaseUrl, hubspotUrl, key] = process.argv.slice(2)
const db = openDatabase(databaseUrl!)
const means = {
  db,
  hubspotUrl: hubspotUrl!,
  encryptionKey: Buffer.from(key!, 'hex'),
  log: { warn: (fields: object) => void process.stderr.write(`${JSON.stringify(fields)}\n`) },
  storages: storagesOf(memoryStorage(), null),
  pace: { searchMs: 0, anyMs: 0, retryMs: 5 },
  lease: 200,
}
for (;;) {
  const leased = await leaseDueSource(db, means.lease)
  if (leased !== undefined) {
    process.stdout.write('reading\n')
    await runLeased(leased, means, new AbortController().signal)
    break
  }
  await new Promise((resolve) => setTimeout(resolve, 20))
}
await db.$client.end({ timeout: 5 })
