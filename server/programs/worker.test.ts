import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '#db/test-database.ts'
import { enqueueMail } from '../accounts/mailer.ts'
import { readConfig } from '../runtime/env.ts'
import { dayMs } from '../values/units.ts'
import { openSystem } from './system.ts'
import { startWorker } from './worker.ts'

const mail = { subject: 'x', text: 'x', html: 'x' }

test('a process stops within eight seconds despite silent servers, endless work and slow statements', async () => {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'worker-'))
  // Accepts connections and never responds.
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => {})))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const config = readConfig({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    SMTP_URL: `smtp://127.0.0.1:${port}`,
  })
  const { services, close } = await openSystem(config, pino({ level: 'silent' }), () => {})
  const worker = startWorker(services)
  await services.db.transaction(async (tx) => {
    for (let at = 0; at < 20; at++)
      await enqueueMail(tx, services.encryptionKey, `${at}@b.example`, mail, dayMs)
  })
  await vi.waitFor(() => expect(sockets.length).toBeGreaterThanOrEqual(8), 20_000)
  services.background('timer', 'endless', () => new Promise(() => {}))
  for (const { $client } of [services.db, services.queue, services.notices])
    for (let at = 0; at < 20; at++) $client`select pg_sleep(9)`.catch(() => {})
  const startedAt = performance.now()
  await worker.stop()
  await close()
  expect(performance.now() - startedAt).toBeLessThan(8000)
  for (const socket of sockets) socket.destroy()
  silent.close()
  await rm(dataDir, { recursive: true })
  await database.drop()
}, 60_000)
