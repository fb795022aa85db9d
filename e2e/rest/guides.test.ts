import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { promisify } from 'node:util'
import { downloadOf } from '#app/clients/downloads.ts'
import { exampleSecret } from '#app/docs/(guides)/webhooks/verify-programs.ts'
import { readConsole, nodeProgram, pythonProgram, readRequest } from '#app/docs/request.ts'
import { freePort } from '#db/free-port.ts'
import { parse } from '#public/clients/partner-deals.ts'
import type { DealRecord } from '#server/deals/deal.ts'
import { deleteDeal } from '#server/deals/removal-store.ts'
import { sign } from '#server/webhooks/signature.ts'
import type { LocalSystem } from '../local-system.ts'
import type { TestPartner } from '../partners.ts'
import type { TestedSystem } from '../system.ts'
import { ask } from './client.ts'
import { bringIn, listedDeals, newIds } from './deals.ts'
import { expect, test } from './rest-test.ts'

// Every command and program of the developer guides runs here exactly as written.

const guides = join(import.meta.dirname, '../../app/docs/(guides)')
const pages = globSync('**/page.mdx', { cwd: guides }).map((page) => readFileSync(join(guides, page), 'utf8'))

/** Returns the fenced blocks in this language. */
const blocksOf = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)\\n^\`\`\`$`, 'gms'))].map(([, block]) => block!)

/** Programs by name, with one entry for each language tab. */
const programs = new Map(
  pages
    .flatMap((page) => [...page.matchAll(/<Programs name="(\w+)">(.*?)<\/Programs>/gs)])
    .map(([, name, text]) => [name!, text!]),
)

/** The Node version that started npm. It may be older than this project's version. */
const installedNode = process.env.npm_node_execpath ?? process.execPath

const languages = [
  { language: 'js', runtime: installedNode, ending: 'mjs', client: 'partner-deals.mjs' },
  { language: 'python', runtime: 'python3', ending: 'py', client: 'partner_deals.py' },
] as const
type Language = (typeof languages)[number]

const run = promisify(execFile)

/** Runs `work` in an empty directory. */
async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'partner-deals-guides-'))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Replaces the example URL like the pages do. */
const here = (text: string, { services }: LocalSystem) =>
  text.replaceAll('https://deals.example.com', services.config.publicUrl)

/** Saves a program from the guides next to the client that it imports. Returns the path. */
async function save(
  system: LocalSystem,
  directory: string,
  { language, ending, client }: Language,
  name: string,
) {
  await writeFile(join(directory, client), await downloadOf(client))
  const [program] = blocksOf(programs.get(name)!, language)
  await writeFile(join(directory, `${name}.${ending}`), here(program!, system))
  return join(directory, `${name}.${ending}`)
}

/** Returns a pattern for a response in which … matches anything and numbers may differ. */
function patternOf(answer: string): RegExp {
  const parts = answer.replaceAll(/\s/g, '').split(/(…|\d+)/)
  const patterns = parts.map((part) => {
    if (part === '…') return '.*'
    return /^\d/.test(part) ? '\\d+' : RegExp.escape(part)
  })
  return new RegExp(`^${patterns.join('')}$`, 's')
}

test('every command prints the response shown below it, as do the Node and Python versions', async ({
  system,
  demo,
}) => {
  const { deals } = (await ask(system, 'GET /api/deals?size=25', { token: demo.token })).json
  const agreement = deals.find((deal: { hicAgreement: string | null }) => deal.hicAgreement !== null)
  const partner = await system.makePartner()
  let [commandCount, programCount] = [0, 0]
  await inDirectory(async (cwd) => {
    for (const session of pages.flatMap((page) => blocksOf(page, 'console'))) {
      const { text, answer } = readConsole(here(session, system))
      const command = text.replaceAll(/^export .*\n/gm, '')
      // Use another partner to set URLs: the demo partner's events would wait for this URL forever.
      const token = command.includes('createURL') ? partner.token : demo.token
      const env = { ...process.env, TOKEN: token, ID: String(agreement.id), FILE: agreement.hicAgreement }
      const outputOf = async (program: string, words: string[]) =>
        (await run(program, words, { cwd, env })).stdout.replaceAll(/\s/g, '')
      // The guide tells readers to run this command twice.
      if (answer === '304') expect(await outputOf('sh', ['-c', command])).toBe('200')
      expect(await outputOf('sh', ['-c', command]), command).toMatch(patternOf(answer!))
      commandCount++
      const values: Record<string, string> = { ID: env.ID, FILE: env.FILE }
      const request = readRequest(
        text.replaceAll(/^(export (\w+)=)\S+/gm, (_, start, name) => start + values[name]),
      )
      if (request === undefined) continue
      await writeFile(join(cwd, 'request.mjs'), nodeProgram(request))
      const [node, python] = await Promise.all([
        outputOf(installedNode, ['request.mjs']),
        outputOf('python3', ['-c', pythonProgram(request)]),
      ])
      expect(node, nodeProgram(request)).toMatch(patternOf(answer!))
      expect(python, pythonProgram(request)).toMatch(patternOf(answer!))
      programCount++
    }
  })
  expect([commandCount, programCount]).toEqual([17, 13])
})

test('this file tests every program in the guides', () =>
  expect([...programs.keys()].toSorted()).toEqual([
    'first',
    'follow',
    'receiver',
    'reconcile',
    'search',
    'unchanged',
    'walk',
  ]))

/** Returns all deals of a partner by ID, as returned by REST. In JavaScript, IDs are strings. */
async function storedDeals(system: TestedSystem, { token }: TestPartner, language: string) {
  const deals = await listedDeals<{ id: string | number }>(
    system,
    token,
    language === 'js' ? parse<any> : JSON.parse,
  )
  return Object.fromEntries(deals.map((deal) => [deal.id, deal]))
}

/** Runs a program that does not end by itself. Returns the first line of its output. */
async function firstLine(runtime: string, program: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = spawn(runtime, [program], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const value = (await lines.next()).value as string
  // The program saves its copy after printing the line.
  await expect
    .poll(
      async () => JSON.parse(await readFile(join(options.cwd, 'copy.json'), 'utf8').catch(() => '{}')).last,
    )
    .toBe(Number(value.split(' ')[0]))
  child.kill()
  await ended
  return value
}

const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 17, 20, second)).toISOString()

test.for(languages)(
  'the $language programs read a copy, compare it in chunks and follow it',
  async (language, { system }) => {
    const deals: DealRecord[] = newIds(1_050).map((id) => ({ id, stage: 'Sold', lastModified: at(1) }))
    const partner = await system.makePartner({ deals })
    await inDirectory(async (cwd) => {
      const env = { ...process.env, TOKEN: partner.token }
      const runProgram = async (name: string) =>
        (await run(language.runtime, [await save(system, cwd, language, name)], { cwd, env })).stdout
      const copy = async () => JSON.parse(await readFile(join(cwd, 'copy.json'), 'utf8'))

      // More deals are missing than a single response lists.
      await writeFile(join(cwd, 'copy.json'), '{"deals":{}}')
      expect(await runProgram('reconcile')).toMatch(/missing'?: 1050, '?stale'?: 0, '?gone'?: 0/)
      expect((await copy()).deals).toEqual(await storedDeals(system, partner, language.language))

      expect(await runProgram('walk')).toBe('1050 deals\n')
      expect(await copy()).toEqual({ deals: await storedDeals(system, partner, language.language) })

      const [changed, removed] = deals
      await bringIn(system, partner, [
        { ...changed!, stage: 'Permit Submitted', lastModified: at(2) },
        { id: newIds(1)[0]!, stage: 'Sold' },
      ])
      await deleteDeal(system.db, removed!.id)
      expect(await runProgram('reconcile')).toMatch(/missing'?: 1, '?stale'?: 1, '?gone'?: 1/)
      const { last, ...rest } = await copy()
      expect(rest).toEqual({ deals: await storedDeals(system, partner, language.language) })
      expect(await runProgram('reconcile')).toMatch(/missing'?: 0, '?stale'?: 0, '?gone'?: 0/)

      await bringIn(system, partner, [{ ...changed!, stage: 'Installed', lastModified: at(3) }])
      const follow = await save(system, cwd, language, 'follow')
      expect(await firstLine(language.runtime, follow, { cwd, env })).toBe(
        `${last + 1} deal.updated ${changed!.id}`,
      )
      expect(await copy()).toEqual({
        deals: await storedDeals(system, partner, language.language),
        last: last + 1,
      })
    })
  },
)

test.for(languages)(
  'the $language program reads a list again only after a change',
  async (language, { system }) => {
    const partner = await system.makePartner({ deals: [{ id: newIds(1)[0]! }] })
    await inDirectory(async (cwd) => {
      const program = await save(system, cwd, language, 'unchanged')
      const env = { ...process.env, TOKEN: partner.token }
      const outputOf = async () => (await run(language.runtime, [program], { cwd, env })).stdout
      expect([await outputOf(), await outputOf()]).toEqual(['200\n', '304\n'])
      await bringIn(system, partner, [{ id: newIds(1)[0]! }])
      expect([await outputOf(), await outputOf()]).toEqual(['200\n', '304\n'])
    })
  },
)

test.for(languages)(
  'the first $language program and a search print ids and stages',
  async (language, { system }) => {
    const [id] = newIds(1)
    const { token } = await system.makePartner({
      deals: [{ id: id!, stage: 'Sold', lastModified: at(1) }],
    })
    await inDirectory(async (cwd) => {
      const env = { ...process.env, TOKEN: token }
      for (const name of ['first', 'search']) {
        const program = await save(system, cwd, language, name)
        expect((await run(language.runtime, [program], { cwd, env })).stdout, name).toBe(`${id} Sold\n`)
      }
    })
  },
)

test.for(languages)('the $language program reports errors with the request', async (language, { system }) => {
  const partner = await system.makePartner()
  await inDirectory(async (cwd) => {
    const program = await save(system, cwd, language, 'walk')
    const env = { ...process.env, TOKEN: `${partner.token}x` }
    await expect(run(language.runtime, [program], { cwd, env })).rejects.toThrow(
      /The token is not valid \(request [\w-]+\)/,
    )
  })
})

test.for(languages)(
  'the $language receiver accepts signed events and rejects all others',
  async (language, { system }) => {
    await inDirectory(async (cwd) => {
      const port = await freePort()
      const receiver = spawn(language.runtime, [await save(system, cwd, language, 'receiver')], {
        env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: exampleSecret },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      try {
        const lines = createInterface(receiver.stdout)[Symbol.asyncIterator]()
        expect((await lines.next()).value).toBe(`http://localhost:${port}`)
        const body =
          '{"type":"deal.updated","data":{"id":7},"changes":[{"field":"stage"},{"field":"amount"}]}'
        const id = 'msg_1'
        const post = async (now: Date, sent = body) =>
          (
            await fetch(`http://localhost:${port}/events`, {
              method: 'POST',
              headers: {
                'webhook-id': id,
                'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
                'webhook-signature': sign({ id, at: now, body: Buffer.from(body) }, [exampleSecret]),
              },
              body: sent,
            })
          ).status
        expect(await post(new Date())).toBe(204)
        expect((await lines.next()).value).toBe('deal.updated 7 stage amount')
        expect(await post(new Date(), body.replace('stage', 'other'))).toBe(401)
        expect(await post(new Date(Date.now() - 3_600_000))).toBe(401)
        expect((await fetch(`http://localhost:${port}/`, { method: 'POST' })).status).toBe(401)
      } finally {
        receiver.kill()
        await once(receiver, 'exit')
      }
    })
  },
)
