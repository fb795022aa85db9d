import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Figure, figures } from './figures.ts'
import { type Result, formatJson, formatTable } from './table.ts'
import { makeWorld } from './world.ts'

// npm run bench: measures the product on a data directory of its own, beside a peer, and shows the figures and their targets.

const help = `npm run bench [-- options]

  --deals <number>  how many deals to load (100,000)
  --only <figure>   measure one figure; again for more
  --deep            measure those marked * too, which take minutes
  --json            print one JSON object of the figures
  --help

Figures
${figures.map(({ name, about, deep }) => `  ${name.padEnd(23)} ${deep === true ? '*' : ' '} ${about}`).join('\n')}
`

const say = (text: string) => void process.stderr.write(`${text} …\n`)

const tell = (error: unknown) => error instanceof Error ? error.message : String(error)

async function main(stack: AsyncDisposableStack): Promise<number> {
  const { values } = parseArgs({
    options: { deals: { type: 'string', default: '100000' }, only: { type: 'string', multiple: true }, deep: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  if (values.help === true) {
    process.stdout.write(help)
    return 0
  }
  const deals = readDeals(values.deals)
  const chosen = chooseFigures(values.only, values.deep)
  const circumstances = `N = ${deals.toLocaleString('en')} deals, Node ${process.version}, ${availableParallelism()} processors, load ${loadavg()[0]!.toFixed(1)} at the start`
  const results = await measure(stack, chosen, deals)
  process.stdout.write(values.json === true ? `${formatJson(results)}\n` : `\n${circumstances}\n\n${formatTable(results)}\n`)
  return results.some(({ measured }) => measured === undefined) ? 1 : 0
}

// Pages are measured up to the fourth.
const dealsMin = 100

function readDeals(text: string): number {
  const deals = Number(text.replaceAll(/[,_]/g, ''))
  if (!Number.isSafeInteger(deals) || deals < dealsMin) throw new Error(`--deals must be a whole number from ${dealsMin}`)
  return deals
}

function chooseFigures(names: string[] | undefined, deep = false): Figure[] {
  const unknown = names?.find((name) => !figures.some((figure) => figure.name === name))
  if (unknown !== undefined) throw new Error(`--only: ${unknown} is none of ${figures.map(({ name }) => name).join(', ')}`)
  return figures.filter(({ name, deep: isDeep }) => names?.includes(name) ?? (deep || isDeep !== true))
}

/** Measures one figure after the other; one that fails is reported and does not keep the others. */
async function measure(stack: AsyncDisposableStack, chosen: Figure[], deals: number): Promise<Result[]> {
  const world = makeWorld(stack, deals, say)
  const results: Result[] = []
  for (const figure of chosen) {
    say(`Measuring ${figure.name}`)
    try {
      results.push({ figure, measured: await figure.measure(world) })
    } catch (error) {
      // What fails because everything is being stopped is no news.
      if (stack.disposed) throw error
      process.stderr.write(`${figure.name}: ${tell(error)}\n`)
      results.push({ figure, measured: undefined })
    }
  }
  return results
}

/** Becomes the exit code when someone asks the benchmark to stop; further signals do not hurry it. */
function interruption(): Promise<number> {
  const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }
  return new Promise((resolve) => {
    for (const [signal, code] of Object.entries(signals)) process.on(signal, () => resolve(code))
  })
}

/** Does all of it and undoes what it started, however it ends; gives the exit code. */
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
