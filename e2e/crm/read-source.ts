import { openDatabase } from '#db/client.ts'
import { directoryStorage } from '#server/files/disk-storage.ts'
import { storagesOf } from '#server/files/storage.ts'
import { followSource } from '#server/sources/follow-source.ts'
import { readSources } from '#server/sources/store.ts'

// A process that reads a source once and is killed by tests: node e2e/crm/read-source.ts <database> <HubSpot>
// <key>

const [databaseUrl, hubspotUrl, key] = process.argv.slice(2)
const db = openDatabase(databaseUrl!)
const means = {
  db,
  hubspotUrl: hubspotUrl!,
  encryptionKey: Buffer.from(key!, 'hex'),
  log: { warn: (fields: object) => void process.stderr.write(`${JSON.stringify(fields)}\n`) },
  storages: storagesOf(directoryStorage({ directory: '/nowhere' }), null),
  pace: { searchMs: 0, anyMs: 0, retryMs: 5 },
}
const [source] = await readSources(db)
process.stdout.write('reading\n')
await followSource(means, source!.id, new AbortController().signal)
await db.$client.end({ timeout: 5 })
