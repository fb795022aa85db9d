import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { allowClosedOutput } from '#server/runtime/process.ts'
import {
  type Bound,
  type Figure,
  figures,
  formatJson,
  isWithinBound,
  printTable,
  type Result,
} from './figures.ts'
import type { WorldSize } from './site.ts'
import { measureSpeed } from './speed.ts'
import { makeWorld } from './world.ts'

allowClosedOutput()

// npm run bench: measures the product on its own data directory, next to a peer, and prints the figures and
// their targets.

const help = `npm run bench [-- options]

  --deals <number>  how many deals to load (100,000; 10,000 with --check)
  --only <figure>   measure one figure; again for more
  --check           measure those that have a floor or a ceiling, in a small world and in four minutes; fail if one is beyond it
  --json            print one JSON object of the figures
  --help

Figures
${figures.map(({ name, about }) => `  ${name.padEnd(26)} ${about}`).join('\n')}
`

const say = (text: string) => void process.stderr.write(`${text} …\n`)

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const full: WorldSize = {
  deals: 100_000,
  partyDeals: 10_000,
  attackS: 60,
  pace: { warmUpS: 3, roundS: 2, rounds: 7 },
  drains: 3,
}

// Large enough to expose a change that makes something several times as slow.
const small: WorldSize = {
  deals: 10_000,
  partyDeals: 3000,
  attackS: 20,
  pace: { warmUpS: 1, roundS: 0.5, rounds: 3 },
  drains: 1,
}

async function main(stack: AsyncDisposableStack): Promise<number> {
  const { values } = parseArgs({
    options: {
      deals: { type: 'string' },
      only: { type: 'string', multiple: true },
      check: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) {
    process.stdout.write(help)
    return 0
  }
  const isCheck = values.check
  const size = isCheck ? small : full
  const deals = readDeals(values.deals ?? String(size.deals))
  const chosen = chooseFigures(values.only, isCheck)
  const circumstances = `N = ${deals.toLocaleString('en')} deals, Node ${process.version}, ${availableParallelism()} processors, load ${loadavg()[0]!.toFixed(1)} at the start`
  const results = await measureAll(stack, chosen, { ...size, deals }, isCheck)
  if (values.json) process.stdout.write(`${formatJson(results)}\n`)
  else {
    process.stdout.write(`\n${circumstances}\n`)
    printTable(results)
  }
  if (!isCheck) return results.some(({ measured }) => measured === undefined) ? 1 : 0
  const failed = results.filter((result) => !isWithinBound(result)).length
  process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`)
  return failed > 0 ? 1 : 0
}

/**
 * Measures figures in a new world, beside their targets, or with `isCheck` against their floors and ceilings. Then,
 * one beyond its bound is measured again, in another world, before it counts.
 */
async function measureAll(
  stack: AsyncDisposableStack,
  chosen: readonly Figure[],
  size: WorldSize,
  isCheck: boolean,
): Promise<Result[]> {
  const measureEach = async (of: readonly Figure[]) => {
    await using round = stack.use(new AsyncDisposableStack())
    const world = makeWorld({ stack: round, size, say })
    const results: Result[] = []
    for (const figure of of) results.push(await measure(stack, figure, world, isCheck))
    return results
  }
  const first = await measureEach(chosen)
  const beyond = first.filter((result) => !isWithinBound(result)).map(({ figure }) => figure)
  if (!isCheck || beyond.length === 0) return first
  say(`Measuring again what is beyond its bound: ${beyond.map(({ name }) => name).join(', ')}`)
  const again = await measureEach(beyond)
  return first.map((result) => again.find(({ figure }) => figure === result.figure) ?? result)
}

/**
 * Measures a figure; a failure is reported and does not stop the others. The floor of a rate is scaled by the
 * machine's speed right before and after.
 */
async function measure(
  stack: AsyncDisposableStack,
  figure: Figure,
  world: ReturnType<typeof makeWorld>,
  isCheck: boolean,
): Promise<Result> {
  say(`Measuring ${figure.name}`)
  const { name, floor, ceiling, target } = figure
  const began = performance.now()
  const isScaled = isCheck && figure.unit === '/s'
  const speedNow = async () => (isScaled ? measureSpeed(await world.databaseUrl()) : 1)
  let speed = 1
  const measured = await (async () => {
    const before = await speedNow()
    const value = await world[name]()
    speed = (before + (await speedNow())) / 2
    return value
  })().catch((error: unknown) => {
    // Failures during shutdown are expected.
    if (stack.disposed) throw error
    process.stderr.write(`${name}: ${messageOf(error)}\n`)
  })
  const limit: Bound =
    floor === undefined ? { kind: '≤', value: ceiling! } : { kind: '≥', value: floor * speed }
  return {
    figure,
    measured: measured ?? undefined,
    seconds: (performance.now() - began) / 1000,
    bound: isCheck ? limit : target,
  }
}

// The first four pages are measured.
const dealsMin = 100

function readDeals(text: string): number {
  const deals = Number(text.replaceAll(/[,_]/g, ''))
  if (!Number.isSafeInteger(deals) || deals < dealsMin)
    throw new Error(`--deals must be a whole number from ${dealsMin}`)
  return deals
}

function chooseFigures(names: string[] | undefined, isCheck: boolean): Figure[] {
  const known = figures.filter(
    ({ floor, ceiling }) => !isCheck || floor !== undefined || ceiling !== undefined,
  )
  const unknown = names?.find((name) => !known.some((figure) => figure.name === name))
  if (unknown !== undefined)
    throw new Error(`--only: ${unknown} is none of ${known.map(({ name }) => name).join(', ')}`)
  return known.filter(({ name }) => names?.includes(name) ?? true)
}

/** Becomes the exit code when the benchmark is stopped by a signal; further signals do not hurry it. */
function interruption(): Promise<number> {
  const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }
  return new Promise((resolve) => {
    for (const [signal, code] of Object.entries(signals)) process.on(signal, () => resolve(code))
  })
}

/** Runs the benchmark and cleans up, however it ends. Returns the exit code. */
async function run(): Promise<number> {
  await using stack = new AsyncDisposableStack()
  try {
    return await Promise.race([main(stack), interruption()])
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`)
    return 1
  }
}

process.exit(await run())
