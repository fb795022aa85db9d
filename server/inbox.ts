import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { styleText } from 'node:util'
import { Command, InvalidArgumentError } from 'commander'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import { listPartners } from './accounts/store.ts'
import { readCommandConfig, withServices } from './programs/system.ts'
import { readProcessEnvironment } from './runtime/env-file.ts'
import { readConfig } from './runtime/env.ts'
import { requireInstallation } from './runtime/installation.ts'
import { allowClosedOutput, runToEnd, stopSignal } from './runtime/process.ts'
import { parseJson, stringifyJson } from './values/int64.ts'
import { readSecrets } from './webhooks/secret-store.ts'

// npm run inbox: receives webhooks like a partner's system, for trying them out.

allowClosedOutput(() => process.exit(0))

const usualPort = 9000
const portMax = 65_535

const wholeNumber = (minimum: number, maximum: number) => (text: string) => {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (number >= minimum && number <= maximum) return number
  throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`)
}

function secretForm(text: string): string {
  if (/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(text)) return text
  throw new InvalidArgumentError(
    'It must be whsec_ and base64; "webhook show --reveal" of the operator prints it.',
  )
}

const { variables, words } = readProcessEnvironment()

const options = new Command('inbox')
  .description('Receives webhooks on this machine, verifies their signatures and prints them.')
  .option('--port <port>', 'port to listen on', wholeNumber(1, portMax), usualPort)
  .option(
    '--secret <secret>',
    "verify with this secret (whsec_…); by default, with those of this installation's partners",
    secretForm,
  )
  .option(
    '--status <status>',
    'status to return for a verified event, such as 500 to see a retry',
    wholeNumber(200, 599),
    200,
  )
  .allowExcessArguments(false)
  .parse(words, { from: 'user' })
  .opts<{ port: number; secret?: string; status: number }>()

/** A secret and its owner, or null if the owner is unknown. */
interface Known {
  partner: string | null
  secret: string
}

const bodyMax = 4 * 1024 * 1024
const say = (text: string) => void process.stdout.write(`${text}\n`)

/** Returns the active secrets. */
async function loadSecrets(): Promise<Known[]> {
  if (options.secret !== undefined) return [{ partner: null, secret: options.secret }]
  const config = readCommandConfig(variables)
  requireInstallation(config, variables, process.cwd(), 'never')
  return withServices(config, async ({ db, encryptionKey }) => {
    const all = (await listPartners(db)).map(async ({ id, slug }) =>
      (await readSecrets(db, id, encryptionKey)).map(({ secret }) => ({ partner: slug, secret })),
    )
    return (await Promise.all(all)).flat()
  })
}

let secrets: Known[] = []
let loading: Promise<void> | null = null

/** Reloads the secrets once for all concurrent callers. */
function reload(): Promise<void> {
  loading ??= loadSecrets()
    .then((loaded) => {
      secrets = loaded
    })
    .finally(() => {
      loading = null
    })
  return loading
}

/** Returns the owner of an event, or the reason why its signature is invalid. */
async function verify(body: string, headers: Record<string, string>): Promise<Known | { reason: string }> {
  let reason: string | null = 'There is no partner yet'
  const find = () => secrets.find(({ secret }) => (reason = signatureProblem(secret, body, headers)) === null)
  let found = find()
  if (found === undefined && options.secret === undefined && 'webhook-signature' in headers) {
    // A partner or secret may have been added since the last load.
    await reload()
    found = find()
  }
  return found ?? { reason }
}

function signatureProblem(secret: string, body: string, headers: Record<string, string>): string | null {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false })
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns the body as text, or undefined if it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    // Reads the whole body even if it is too large, so that the sender receives the response.
    if (size <= bodyMax) chunks.push(chunk as Buffer)
  }
  return size <= bodyMax ? Buffer.concat(chunks).toString() : undefined
}

const Event = z.object({
  type: z.string(),
  sequence: z.number(),
  test: z.boolean().optional(),
  data: z.object({ id: z.union([z.number(), z.bigint()]), dealname: z.string().nullable() }),
  changes: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
})

const margin = ' '.repeat(10)
const colored = (style: 'green' | 'red' | 'dim', text: string) =>
  styleText(style, text, { stream: process.stdout })
// Removes control characters, which would affect the terminal, and shortens long values such as notes.
const plain = (text: string) =>
  (text.length > 100 ? `${text.slice(0, 99)}…` : text).replaceAll(/\p{Cc}/gu, ' ')

/** Describes an event: one line, followed by one line per change. */
function describe(body: string): string {
  const { data: event } = Event.safeParse(readJson(body))
  if (event === undefined) return 'a body that is no event'
  const {
    type,
    sequence,
    test,
    data: { id, dealname },
    changes,
  } = event
  const width = Math.max(...changes.map(({ field }) => field.length))
  const value = (given: unknown) => plain(stringifyJson(given))
  const lines = changes.map(
    ({ field, from, to }) =>
      `\n${margin}${plain(field.padEnd(width))}  ${colored('dim', `${value(from)} →`)} ${value(to)}`,
  )
  return (
    `${(test === true ? 'test' : `#${sequence}`).padEnd(5)}  ${plain(type)}  deal ${id}  ${plain(dealname ?? '')}`.trimEnd() +
    lines.join('')
  )
}

function readJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const seen = new Set<string>()

/** Prints the event and returns the response status. */
async function receive(request: IncomingMessage): Promise<number> {
  const body = await readBody(request)
  const headers = request.headers as Record<string, string>
  const verified =
    body === undefined
      ? { reason: `The body has more than ${bodyMax / 1024 / 1024} MB` }
      : await verify(body, headers)
  const time = colored('dim', new Date().toTimeString().slice(0, 8))
  if ('reason' in verified) {
    say(
      `${time}  ${colored('red', 'not verified')}  ${request.method} ${plain(request.url!)}  ${verified.reason}`,
    )
    return body === undefined ? 413 : 401
  }
  const id = headers['webhook-id']!
  const notes = [
    seen.has(id) ? 'it came before' : '',
    options.status > 299 ? `answered with ${options.status}` : '',
  ]
    .filter(Boolean)
    .join('; ')
  say(
    `${time}  ${colored('green', 'verified')}  ${verified.partner === null ? '' : `${verified.partner}  `}${describe(body!)}${notes && `\n${margin}${colored('dim', `(${notes})`)}`}`,
  )
  seen.add(id)
  return options.status
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    (error: unknown) => {
      // If the sender disconnected, there is nothing to report.
      if (!request.errored)
        say(`${margin}${colored('red', 'something went wrong')}  ${(error as Error).message}`)
      response.destroy()
    },
  )
}

/** Listens on the IPv4 and IPv6 loopback addresses, because a sender may use either. */
async function listen(port: number): Promise<Server[]> {
  const servers = ['127.0.0.1', '::1'].map(
    (host) =>
      new Promise<Server | null>((resolve, reject) => {
        const server = createServer(answer)
          .listen({ host, port }, () => resolve(server))
          .once('error', ({ code, message }: NodeJS.ErrnoException) => {
            if (code === 'EADDRINUSE')
              reject(
                new Error(
                  `Port ${port} is taken by another program. Choose another one: ` +
                    `npm run inbox -- --port ${port === portMax ? usualPort : port + 1}`,
                ),
              )
            else if (host === '127.0.0.1')
              reject(new Error(`The inbox cannot listen on port ${port}: ${message}`))
            else resolve(null)
          })
      }),
  )
  return (await Promise.all(servers)).filter((server) => server !== null)
}

await runToEnd(async () => {
  const stopping = stopSignal()
  const { publicUrl, webhookAllowHttp } = readConfig(variables)
  const servers = await listen(options.port)
  await reload()
  const address = `http://localhost:${options.port}`
  say(`The inbox listens at ${address}, whatever the path. To have events sent here:\n`)
  say(
    `  curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\\n` +
      `    -d '{"createURL": "${address}/created", "updateURL": "${address}/updated"}' ${publicUrl}/api/webhook\n`,
  )
  if (!webhookAllowHttp && options.secret === undefined)
    say(
      'The system has to run with WEBHOOK_ALLOW_HTTP=on WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8,::1/128 for that.\n',
    )
  say('Ctrl-C stops it.\n')
  await stopping
  for (const server of servers) server.closeAllConnections()
})
