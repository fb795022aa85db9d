import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { allowClosedOutput, stopSignal } from '#server/runtime/process.ts'
import { measureDeliveries } from './deliveries.ts'
import { readJson, send, measureSpeed } from './drive.ts'
import {
  type FigureName,
  type Measurements,
  type Result,
  figureNames,
  figures,
  formatJson,
  isWithin,
  printTable,
} from './figures.ts'
import { measureListing } from './listing.ts'
import { measureNeighbours } from './neighbours.ts'
import { measurePortalCalls } from './portal-calls.ts'
import { measurePortal } from './portal.ts'
import { type Site, type WorldSize, makeFilled } from './site.ts'

allowClosedOutput()

// npm run bench: measures the product on its own data directory, next to a simple peer server, and prints the
// figures with their targets.

const print = (text: string) => void process.stdout.write(`${text}\n`)
const say = (text: string) => void process.stderr.write(`${text} …\n`)
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const full: WorldSize = {
  deals: 100_000,
  partyDeals: 10_000,
  attackS: 60,
  pace: { warmUpS: 3, roundS: 2, rounds: 7 },
  drains: 3,
}

// Large enough to reveal a change that makes something several times slower.
const small: WorldSize = {
  deals: 10_000,
  partyDeals: 3000,
  attackS: 20,
  pace: { warmUpS: 1, roundS: 0.5, rounds: 3 },
  drains: 1,
}

interface Options {
  deals?: number
  only?: FigureName[]
  check?: true
  json?: true
}

const command = new Command('npm run bench --')
  .option('--deals <number>', 'how many deals to load, at least 100 (100,000; 10,000 with --check)', Number)
  .addOption(new Option('--only <figures...>', 'measure only these').choices(figureNames))
  .option(
    '--check',
    'measure in a small world, in four minutes; fail if a figure exceeds its floor or ceiling',
  )
  .option('--json', 'print one JSON object of the figures')
  .addHelpText(
    'after',
    `\nFigures\n${figureNames.map((name) => `  ${name.padEnd(20)} ${figures[name].about}`).join('\n')}`,
  )

const isChecked = (name: FigureName) =>
  figures[name].floor !== undefined || figures[name].ceiling !== undefined

async function main(stack: AsyncDisposableStack): Promise<number> {
  const { deals, only, check = false, json } = command.parse().opts<Options>()
  const size = { ...(check ? small : full), ...(deals !== undefined && { deals }) }
  const chosen = figureNames.filter((name) => (only?.includes(name) ?? true) && (!check || isChecked(name)))
  const load = `Node ${process.version}, ${availableParallelism()} processors, load ${loadavg()[0]!.toFixed(1)}`
  let results = await measureAll(stack, chosen, size, check)
  const beyond = results.filter((result) => !isWithin(result)).map(({ name }) => name)
  if (check && beyond.length > 0) {
    // A figure out of bounds only counts if it is out of bounds again in a new world.
    say(`Measuring again what exceeds its bound: ${beyond.join(', ')}`)
    const second = await measureAll(stack, beyond, size, check)
    results = results.map((result) => second.find(({ name }) => name === result.name) ?? result)
  }
  if (json) print(formatJson(results))
  else {
    print(`\nN = ${size.deals.toLocaleString('en')} deals, ${load} at the start`)
    printTable(results)
  }
  if (!check) return results.some(({ measured }) => measured === undefined) ? 1 : 0
  const failed = results.filter((result) => !isWithin(result)).length
  print(`${results.length - failed} passed, ${failed} failed`)
  return failed > 0 ? 1 : 0
}

const restMs = 5000

/**
 * Returns the measurements of a world, which is created when first needed, and a function that returns the
 * URL of its database.
 */
export function makeWorld(site: Site): Measurements & { databaseUrl(): Promise<string> } {
  const filled = makeFilled(site, site.size.deals, site.size.partyDeals)
  const imports = async () => {
    const { party, importAgain } = await filled.loaded()
    return [party.firstImport, await importAgain()] as const
  }
  return {
    databaseUrl: async () => (await filled.system()).databaseUrl(),
    importNewPerS: async () => (await filled.loaded()).party.firstImport.perS,
    importUnchangedPerS: async () => (await imports())[1].perS,
    importRssMb: async () => Math.max(...(await imports()).map(({ peakMb }) => peakMb)),
    ...measureListing(site, filled),
    ...measurePortalCalls(site, filled),
    ...measurePortal(site, filled),
    ...measureDeliveries(site, filled),
    ...measureNeighbours(site, filled),
    async idleRssMb() {
      const { restart, listPage, request, residentMb } = await filled.loaded()
      await restart()
      const rested = sleep(restMs)
      const { deals } = (await readJson(listPage(1))) as { deals: { id: number }[] }
      await send(request(`/api/deals/${deals[0]!.id}`))
      await send(request('/sign-in'))
      await rested
      return residentMb()
    },
  }
}

/** Measures these figures in a new world. */
async function measureAll(stack: AsyncDisposableStack, names: FigureName[], size: WorldSize, check: boolean) {
  await using round = stack.use(new AsyncDisposableStack())
  const world = makeWorld({ stack: round, size, say })
  const results: Result[] = []
  for (const name of names) results.push(await measure(stack, name, world, check))
  return results
}

/**
 * Measures a figure. A failure is reported and does not stop other measurements. The floor of a rate is
 * scaled by the machine's speed, which is measured before and after.
 */
async function measure(
  stack: AsyncDisposableStack,
  name: FigureName,
  world: ReturnType<typeof makeWorld>,
  check: boolean,
): Promise<Result> {
  say(`Measuring ${name}`)
  const { unit, floor, ceiling, atLeast, atMost } = figures[name]
  const began = performance.now()
  const speedNow = async () => (check && unit === '/s' ? measureSpeed(await world.databaseUrl()) : 1)
  let speed = 1
  let measured: number | undefined
  try {
    const before = await speedNow()
    measured = await world[name]()
    speed = (before + (await speedNow())) / 2
  } catch (error) {
    // Failures during shutdown are expected.
    if (stack.disposed) throw error
    process.stderr.write(`${name}: ${messageOf(error)}\n`)
  }
  return {
    name,
    measured,
    seconds: (performance.now() - began) / 1000,
    min: check ? floor && floor * speed : atLeast,
    max: ceiling ?? (check ? undefined : atMost),
  }
}

/** Runs the benchmark and always cleans up. Returns the exit code. */
async function run(): Promise<number> {
  await using stack = new AsyncDisposableStack()
  return await Promise.race([main(stack), stopSignal().then(() => 130)]).catch((error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`)
    return 1
  })
}

process.exit(await run())
