import { readConfig } from '#server/env.ts'
import { openSystem, makeLog } from '#server/system.ts'
import { makeServer } from '#server/http.ts'
import { openApiJson } from '#server/openapi.ts'
const config = readConfig(process.env)
const system = await openSystem(config, makeLog(config), console.error)
const s = makeServer(system.services, openApiJson(config.publicUrl), async (_q, r) => void r.end('page'))
s.listen(config.port, '127.0.0.1', () => console.error('up'))
process.on('SIGTERM', () => process.exit(0))
