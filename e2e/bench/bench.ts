import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { allowClosedOutput } from '#server/runtime/process.ts'
import { type BoundedFigure, type Checked, check, hasBound, isWithinBound } from './check.ts'
import { type Figure, figures, type Result } from './figures.ts'
import type { WorldSize } from './site.ts'
import { formatChecked, formatDurations, formatJson, formatTable } from './table.ts'
import { makeWorld } from './world.ts'

allowClosedOutput()

// npm run bench: measures the product on its own data directory, next to a peer, and prints the figures and
// their targets.

const help = `npm run bench [-- options]

  --deals <number>  how many deals to load (100,000; 10,000 with --check)
  --only <figure>   measure one figure; again for more
  --deep            measure those marked * too, which take minutes
  --check           measure those that have a bound, in a small world and in four minutes; fail if one is beyond it
  --json            print one JSON object of the figures
  --help

Figures
${figures.map(({ name, about, deep }) => `  ${name.padEnd(26)} ${deep === true ? '*' : ' '} ${about}`).join('\n')}
`

const say = (text: string) => void process.stderr.write(`${text} …\n`)

const tell = (error: unknown) => (error instanceof Error ? error.message : String(error))

async function main(stack: AsyncDisposableStack): Promise<number> {
  const { values } = parseArgs({
    options: {
      deals: { type: 'string' },
      only: { type: 'string', multiple: true },
      deep: { type: 'boolean' },
      check: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) {
    process.stdout.write(help)
    return 0
  }
  const size = values.check === true ? small : full
  const deals = readDeals(values.deals ?? String(size.deals))
  const circumstances = `N = ${deals.toLocaleString('en')} deals, Node ${process.version}, ${availableParallelism()} processors, load ${loadavg()[0]!.toFixed(1)} at the start`
  if (values.check === true)
    return checkAll(stack, chooseFigures(values.only).filter(hasBound), { ...size, deals }, circumstances)
  const world = makeWorld({ stack, size: { ...size, deals }, say })
  const results: Result[] = []
  for (const figure of chooseFigures(values.only, values.deep))
    results.push(await measure(stack, figure, () => figure.measure(world)))
  process.stdout.write(
    values.json === true
      ? `${formatJson(results)}\n`
      : `\n${circumstances}\n\n${formatTable(results)}\n\n${formatDurations(results)}\n`,
  )
  return results.some(({ measured }) => measured === undefined) ? 1 : 0
}

const full: WorldSize = {
  deals: 100_000,
  partyDeals: 10_000,
  sourceDeals: 10_000,
  attackS: 60,
  pace: { warmUpS: 3, roundS: 2, rounds: 7 },
  drains: 3,
}

// Large enough to expose a change that makes something several times as slow.
const small: WorldSize = {
  deals: 10_000,
  partyDeals: 3000,
  sourceDeals: 5000,
  attackS: 20,
  pace: { warmUpS: 1, roundS: 0.5, rounds: 3 },
  drains: 1,
}

/**
 * Measures figures against their bounds; one out of bounds is measured again, in a new world, before it
 * counts.
 */
async function checkAll(
  stack: AsyncDisposableStack,
  chosen: BoundedFigure[],
  size: WorldSize,
  circumstances: string,
): Promise<number> {
  if (chosen.length === 0)
    throw new Error(
      `--check: bounds are kept of ${figures
        .filter(hasBound)
        .map(({ name }) => name)
        .join(', ')}`,
    )
  const checkEach = async (of: BoundedFigure[]) => {
    await using round = stack.use(new AsyncDisposableStack())
    const world = makeWorld({ stack: round, size, say })
    const results: Checked[] = []
    for (const figure of of) results.push(await check(figure, world, (work) => measure(stack, figure, work)))
    return results
  }
  const first = await checkEach(chosen)
  const beyond = first.filter((result) => !isWithinBound(result))
  if (beyond.length > 0)
    say(`Measuring again what is beyond its bound: ${beyond.map(({ figure }) => figure.name).join(', ')}`)
  const again = beyond.length > 0 ? await checkEach(beyond.map(({ figure }) => figure as BoundedFigure)) : []
  const results = first.map((result) => again.find(({ figure }) => figure === result.figure) ?? result)
  const failed = results.filter((result) => !isWithinBound(result)).length
  process.stdout.write(
    `\n${circumstances}\n\n${formatChecked(results)}\n\n${results.length - failed} passed, ${failed} failed\n`,
  )
  return failed > 0 ? 1 : 0
}

// The first four pages are measured.
const dealsMin = 100

function readDeals(text: string): number {
  const deals = Number(text.replaceAll(/[,_]/g, ''))
  if (!Number.isSafeInteger(deals) || deals < dealsMin)
    throw new Error(`--deals must be a whole number from ${dealsMin}`)
  return deals
}

function chooseFigures(names: string[] | undefined, deep = false): Figure[] {
  const unknown = names?.find((name) => !figures.some((figure) => figure.name === name))
  if (unknown !== undefined)
    throw new Error(`--only: ${unknown} is none of ${figures.map(({ name }) => name).join(', ')}`)
  return figures.filter(({ name, deep: isDeep }) => names?.includes(name) ?? (deep || isDeep !== true))
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
    process.stderr.write(`${figure.name}: ${tell(error)}\n`)
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
    process.stderr.write(`${tell(error)}\n`)
    return 1
  }
}

process.exit(await run())
