import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { Command } from 'commander'
import { Webhook } from 'standardwebhooks'
import { listPartners } from './accounts/store.ts'
import { withServices } from './command.ts'
import { readConfig } from './env.ts'
import { parseJson, stringifyJson } from './int64.ts'
import { runToEnd, stopSignal } from './process.ts'
import { readSecrets } from './webhooks/secret-store.ts'

// npm run inbox: a receiver for trying webhooks out, as a partner's system would be one.

const options = new Command('inbox')
  .description('Receives webhooks on this machine, verifies their signatures and prints them.')
  .option('--port <port>', 'where to listen', '9000')
  .option('--secret <secret>', "verify with this secret (whsec_…); without it with those of this installation's partners")
  .option('--status <status>', 'what to answer to a verified event, such as 500 to see it come again', '200')
  .parse().opts<{ port: string; secret?: string; status: string }>()

/** Whose secret it is; null when that is not known here. */
interface Known {
  partner: string | null
  secret: string
}

const say = (text: string) => void process.stdout.write(`${text}\n`)

/** Secrets that may sign at the moment. */
async function loadSecrets(): Promise<Known[]> {
  if (options.secret !== undefined) return [{ partner: null, secret: options.secret }]
  return withServices(async ({ db, sealingKey }) => {
    const all = (await listPartners(db)).map(async ({ id, slug }) => (await readSecrets(db, id, sealingKey)).map(({ secret }) => ({ partner: slug, secret })))
    return (await Promise.all(all)).flat()
  })
}

let secrets: Known[] = []

/** Whose event it is, or why the signature cannot be trusted. */
async function verify(body: string, headers: Record<string, string>): Promise<{ partner: string | null } | { reason: string }> {
  const find = () => secrets.find(({ secret }) => reasonAgainst(secret, body, headers) === null)
  let found = find()
  if (found === undefined && options.secret === undefined) {
    // A partner or a secret may have come since.
    secrets = await loadSecrets()
    found = find()
  }
  return found ?? { reason: reasonAgainst(secrets[0]?.secret ?? 'whsec_AAAA', body, headers) ?? 'unknown' }
}

function reasonAgainst(secret: string, body: string, headers: Record<string, string>): string | null {
  try {
    new Webhook(secret).verify(body, headers)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const seen = new Set<string>()

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const headers = request.headers as Record<string, string>
  const verified = await verify(body, headers)
  const time = new Date().toTimeString().slice(0, 8)
  if ('reason' in verified) {
    say(`${time}  not verified  ${request.method} ${request.url}  ${verified.reason}`)
    response.writeHead(401).end()
    return
  }
  const id = headers['webhook-id']!
  say(`${time}  verified  ${verified.partner ?? ''}  ${request.url}  ${describe(body)}${seen.has(id) ? '\n            (it came before)' : ''}`)
  seen.add(id)
  response.writeHead(Number(options.status)).end()
}

function describe(body: string): string {
  const { type, sequence, test, data, changes } = parseJson(body) as {
    type: string; sequence: number; test?: boolean; data: { id: number | bigint; dealname: string | null }; changes: { field: string; from: unknown; to: unknown }[]
  }
  const lines = changes.map(({ field, from, to }) => `\n            ${field}: ${stringifyJson(from)} → ${stringifyJson(to)}`)
  return `${test === true ? 'test' : `#${sequence}`}  ${type}  deal ${data.id}  ${data.dealname ?? ''}${lines.join('')}`
}

await runToEnd(async () => {
  const stopping = stopSignal()
  secrets = await loadSecrets()
  const port = Number(options.port)
  const server = createServer((request, response) => {
    receive(request, response).catch((error: unknown) => {
      say(`something went wrong: ${String(error)}`)
      response.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(port, 'localhost', resolve))
  const address = `http://localhost:${port}`
  say(`The inbox listens at ${address}, whatever the path. To have events sent here:\n`)
  say(`  curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\\n    -d '{"createURL": "${address}/created", "updateURL": "${address}/updated"}' ${readConfig(process.env).publicUrl}/api/webhook\n`)
  say('Ctrl-C stops it.\n')
  await stopping
  server.closeAllConnections()
})
