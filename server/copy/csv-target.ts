import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Replacement, headerOf, idOfLine, linesOf, merge, parseLine, writeParts } from './csv-file.ts'
import { Failure, anotherRuns, exitCodes } from './failures.ts'
import type { CopyState } from './state.ts'
import { type Cell, type DealRows, type Table, dealsTable, eventsTable, personsTable } from './tables.ts'
import { type Batch, type Holder, type Stored, type Target, refuseIfHeld, thisRun } from './target.ts'

const tables = [dealsTable, personsTable, eventsTable]

/**
 * A copy in a folder: one CSV file a table, each replaced as a whole, and the state in JSON. A run writes its
 * files in a folder of its own, and moves each to its place when it is whole. Whoever takes the copy renames
 * that folder: a run that wakes up later finds nothing that it could move.
 */
export class CsvTarget implements Target {
  private readonly folder: string
  private readonly prefix: string
  /** The number in the name of this run's folder. */
  private run = 0

  constructor(folder: string, prefix: string) {
    this.folder = folder
    this.prefix = prefix
  }

  async read(): Promise<Stored | null> {
    const state = this.readState()
    return state && { state, ...this.holderOf(this.lastRun()) }
  }

  async probe(): Promise<void> {
    const isNew = !existsSync(this.folder)
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    mkdirSync(this.path('probe'), { mode: 0o700 })
    rmSync(isNew ? this.folder : this.path('probe'), { recursive: true })
  }

  async claim(initial: CopyState): Promise<CopyState> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const last = this.lastRun()
    refuseIfHeld(this.holderOf(last))
    if (this.readState() === null) this.refuseForeign()
    this.run = last + 1
    // If two runs take over the copy at once, one of them fails.
    this.whileHeld(() => {
      if (last === 0) mkdirSync(this.own(), { mode: 0o700 })
      else renameSync(this.own('', last), this.own())
      writeFileSync(this.own('holder'), thisRun, { mode: 0o600 })
    })
    const state = this.readState() ?? initial
    this.clean(state)
    return state
  }

  async renew(): Promise<void> {
    this.whileHeld(() => utimesSync(this.own('holder'), new Date(), new Date()))
  }

  async release(): Promise<void> {
    this.whileHeld(() => truncateSync(this.own('holder')))
  }

  async write({ state, deals = [], removed = [], events = [], load }: Batch): Promise<void> {
    const sorted = deals.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const rows = new Map<Table, Replacement[]>([
      [dealsTable, sorted.map(({ id, deal }) => ({ id, rows: [deal] }))],
      [personsTable, sorted.map(({ id, persons }) => ({ id, rows: persons }))],
      [eventsTable, events.map((row) => ({ id: BigInt(row[0]!), rows: [row] }))],
    ])
    this.whileHeld(() => {
      for (const [table, replacements] of rows) {
        const ofEvents = table === eventsTable
        if (load === undefined || ofEvents) this.replace(table, replacements, ofEvents ? [] : removed)
        else if (load === 'page') this.writePage(table, replacements, state)
        else if (load === 'end')
          this.put(`${table.name}.csv`, merge(this.pages(table, state), headerOf(table)))
      }
      this.put('copy.json', [`${JSON.stringify(state, null, 2)}\n`])
      if (load === 'end') this.clean(state)
    })
  }

  async count(): Promise<number> {
    let count = 0
    for (const _ of linesOf(this.path('deals.csv'))) count++
    return count
  }

  async countUnloaded(state: CopyState): Promise<number> {
    const loaded = this.pages(dealsTable, state)
    let next = loaded.next()
    let count = 0
    for (const line of linesOf(this.path('deals.csv'))) {
      const id = idOfLine(line)
      while (next.done !== true && idOfLine(next.value) < id) next = loaded.next()
      if (next.done === true || idOfLine(next.value) !== id) count++
    }
    return count
  }

  async *deals(): AsyncIterable<DealRows> {
    const persons = linesOf(this.path('persons.csv'))
    let person = persons.next()
    for (const line of linesOf(this.path('deals.csv'))) {
      const id = idOfLine(line)
      const own: Cell[][] = []
      for (; person.done !== true && idOfLine(person.value) <= id; person = persons.next())
        own.push(parseLine(person.value))
      yield { id, deal: parseLine(line), persons: own }
    }
  }

  async drop(): Promise<void> {
    await this.renew()
    for (const { name } of tables) rmSync(this.path(`${name}.csv`), { force: true })
    rmSync(this.path('copy.json'), { force: true })
    rmSync(this.own(), { recursive: true })
  }

  async close(): Promise<void> {}

  private path = (name: string) => join(this.folder, this.prefix + name)

  /** Returns the path of a file in the folder of this run. */
  private own = (name = '', run = this.run) => join(this.path(`run-${run}`), name)

  /** Returns the number of the last run; 0 if there was none. */
  private lastRun(): number {
    const names = existsSync(this.folder) ? readdirSync(this.folder) : []
    return Math.max(
      0,
      ...names
        .filter((name) => name.startsWith(`${this.prefix}run-`))
        .map((name) => Number(name.slice(this.prefix.length + 'run-'.length))),
    )
  }

  private holderOf(run: number): Holder {
    const path = this.own('holder', run)
    if (!existsSync(path)) return { name: '', silentS: 0 }
    const silentS = Math.round((Date.now() - statSync(path).mtimeMs) / 1000)
    return { name: readFileSync(path, 'utf8'), silentS }
  }

  private readState(): CopyState | null {
    const path = this.path('copy.json')
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as CopyState) : null
  }

  private refuseForeign(): void {
    const path = tables.map(({ name }) => this.path(`${name}.csv`)).find((path) => existsSync(path))
    if (path !== undefined)
      throw new Failure(
        `the file ${path} exists and is not a copy's: choose another --prefix or folder`,
        exitCodes.usage,
      )
  }

  /** Stores pages of a load in a new file, named by the number of deals loaded so far. */
  private writePage(table: Table, rows: Replacement[], { load, loadNumber }: CopyState): void {
    const path = this.own(`${table.name}.${loadNumber}-${load!.deals}.page`)
    writeParts(path, merge([], headerOf(table), rows))
  }

  /** Lists the lines of all pages of a load. */
  private *pages({ name }: Table, { loadNumber }: CopyState): Generator<Buffer> {
    const start = `${name}.${loadNumber}-`
    const pages = readdirSync(this.own()).filter((file) => file.startsWith(start))
    const dealsOf = (file: string) => Number.parseInt(file.slice(start.length), 10)
    for (const file of pages.toSorted((a, b) => dealsOf(a) - dealsOf(b))) yield* linesOf(this.own(file))
  }

  /** Removes files that an earlier run left unfinished, and pages that do not belong to the current load. */
  private clean({ load, loadNumber }: CopyState): void {
    for (const name of readdirSync(this.own())) {
      const [, number, deals] = /\.(\d+)-(\d+)\.page$/.exec(name) ?? []
      const isOfLoad = load !== null && Number(number) === loadNumber && Number(deals) <= load.deals
      if (name !== 'holder' && !isOfLoad) rmSync(this.own(name))
    }
  }

  private replace(table: Table, replacements: Replacement[], removed: readonly bigint[]): void {
    const name = `${table.name}.csv`
    if (replacements.length + removed.length === 0 && existsSync(this.path(name))) return
    this.put(name, merge(linesOf(this.path(name)), headerOf(table), replacements, removed))
  }

  /** Replaces a file by one that is whole and on the disk. */
  private put(name: string, parts: Iterable<Buffer | string>): void {
    writeParts(this.own(name), parts)
    renameSync(this.own(name), this.path(name))
    const folder = openSync(this.folder, 'r')
    fsyncSync(folder)
    closeSync(folder)
  }

  /** Does something with the files of this run. @throws Failure if another run has taken the copy */
  private whileHeld(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!['ENOENT', 'EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error
      throw anotherRuns(this.holderOf(this.lastRun()).name)
    }
  }
}
