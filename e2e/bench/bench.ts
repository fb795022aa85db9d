import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { allowClosedOutput } from '#server/runtime/process.ts'
import { type Figure, figures, type Result } from './figures.ts'
import type { WorldSize } from './site.ts'
import { measureSpeed } from './speed.ts'
import { formatDurations, formatJson, formatTable, isWithinBound } from './table.ts'
import { type World, makeWorld } from './world.ts'

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
      check: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) {
    process.stdout.write(help)
    return 0
  }
  const isCheck = values.check === true
  const size = isCheck ? small : full
  const deals = readDeals(values.deals ?? String(size.deals))
  const chosen = chooseFigures(values.only, isCheck)
  const circumstances = `N = ${deals.toLocaleString('en')} deals, Node ${process.version}, ${availableParallelism()} processors, load ${loadavg()[0]!.toFixed(1)} at the start`
  const results = await (isCheck ? checkAll : measureAll)(stack, chosen, { ...size, deals })
  process.stdout.write(
    values.json === true
      ? `${formatJson(results)}\n`
      : `\n${circumstances}\n\n${formatTable(results)}\n\n${formatDurations(results)}\n`,
  )
  if (!isCheck) return results.some(({ measured }) => measured === undefined) ? 1 : 0
  const failed = results.filter((result) => !isWithinBound(result)).length
  process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`)
  return failed > 0 ? 1 : 0
}

/** Measures figures in a new world, beside their targets. */
async function measureAll(stack: AsyncDisposableStack, chosen: Figure[], size: WorldSize): Promise<Result[]> {
  const world = makeWorld({ stack, size, say })
  const results: Result[] = []
  for (const figure of chosen) {
    const { target: bound } = figure
    results.push({ bound, ...(await measure(stack, figure, () => figure.measure(world))) })
  }
  return results
}

/**
 * Measures figures against their floors and ceilings; one beyond its bound is measured again, in a new world,
 * before it counts.
 */
async function checkAll(stack: AsyncDisposableStack, chosen: Figure[], size: WorldSize): Promise<Result[]> {
  const checkEach = async (of: Figure[]) => {
    await using round = stack.use(new AsyncDisposableStack())
    const world = makeWorld({ stack: round, size, say })
    const results: Result[] = []
    for (const figure of of) results.push(await check(stack, figure, world))
    return results
  }
  const first = await checkEach(chosen)
  const beyond = first.filter((result) => !isWithinBound(result)).map(({ figure }) => figure)
  if (beyond.length === 0) return first
  say(`Measuring again what is beyond its bound: ${beyond.map(({ name }) => name).join(', ')}`)
  const again = await checkEach(beyond)
  return first.map((result) => again.find(({ figure }) => figure === result.figure) ?? result)
}

/** Measures a figure; the floor of a rate is scaled by the machine's speed right before and after. */
async function check(stack: AsyncDisposableStack, figure: Figure, world: World): Promise<Result> {
  let speed = 1
  const result = await measure(stack, figure, async () => {
    if (figure.unit !== '/s') return figure.measure(world)
    const url = await world.databaseUrl()
    const before = await measureSpeed(url)
    const measured = await figure.measure(world)
    speed = (before + (await measureSpeed(url))) / 2
    return measured
  })
  const { floor, ceiling } = figure
  return {
    ...result,
    bound: floor === undefined ? { kind: '≤', value: ceiling! } : { kind: '≥', value: floor * speed },
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

/** Measures a figure; a failure is reported and does not stop the others. */
async function measure(
  stack: AsyncDisposableStack,
  figure: Figure,
  work: () => Promise<number>,
): Promise<Result> {
  say(`Measuring ${figure.name}`)
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  try {
    const measured = await work()
    return { figure, measured, seconds: seconds() }
  } catch (error) {
    // Failures during shutdown are expected.
    if (stack.disposed) throw error
    process.stderr.write(`${figure.name}: ${messageOf(error)}\n`)
    return { figure, measured: undefined, seconds: seconds() }
  }
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
