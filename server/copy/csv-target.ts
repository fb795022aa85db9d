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
import { Failure, takenBy, exitCodes } from './failures.ts'
import type { CopyState } from './state.ts'
import { type Cell, type DealRows, type Table, dealsTable, eventsTable, personsTable } from './tables.ts'
import { type Batch, type RunLease, type Stored, type Target, requireFree, runId } from './target.ts'

const tables = [dealsTable, personsTable, eventsTable]

/**
 * A copy in a folder: one CSV file per table, and the state as JSON. Each run writes files to its own
 * subfolder, and moves a file into place when the file is complete. A run that takes over the copy renames
 * the subfolder, so that a suspended run can no longer write when it resumes.
 */
export class CsvTarget implements Target {
  private readonly folder: string
  private readonly prefix: string
  /** The number in the name of the run's subfolder. */
  private run = 0

  constructor(folder: string, prefix: string) {
    this.folder = folder
    this.prefix = prefix
  }

  async read(): Promise<Stored | null> {
    const state = this.readState()
    return state && { state, ...this.leaseOf(this.lastRun()) }
  }

  async probe(): Promise<void> {
    const isNew = !existsSync(this.folder)
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    mkdirSync(this.filePath('probe'), { mode: 0o700 })
    rmSync(isNew ? this.folder : this.filePath('probe'), { recursive: true })
  }

  async acquire(initial: CopyState): Promise<CopyState> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const last = this.lastRun()
    requireFree(this.leaseOf(last))
    if (this.readState() === null) this.requireOwnFiles()
    this.run = last + 1
    // If two runs take over the copy at the same time, only one of the renames succeeds.
    this.withLease(() => {
      if (last === 0) mkdirSync(this.runPath(), { mode: 0o700 })
      else renameSync(this.runPath('', last), this.runPath())
      writeFileSync(this.runPath('holder'), runId, { mode: 0o600 })
    })
    const state = this.readState() ?? initial
    this.clean(state)
    return state
  }

  async renew(): Promise<void> {
    this.withLease(() => utimesSync(this.runPath('holder'), new Date(), new Date()))
  }

  async release(): Promise<void> {
    this.withLease(() => truncateSync(this.runPath('holder')))
  }

  async write({ state, deals = [], removed = [], events = [], load }: Batch): Promise<void> {
    const sorted = deals.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const rows = new Map<Table, Replacement[]>([
      [dealsTable, sorted.map(({ id, deal }) => ({ id, rows: [deal] }))],
      [personsTable, sorted.map(({ id, persons }) => ({ id, rows: persons }))],
      [eventsTable, events.map((row) => ({ id: BigInt(row[0]!), rows: [row] }))],
    ])
    this.withLease(() => {
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
    for (const _ of linesOf(this.filePath('deals.csv'))) count++
    return count
  }

  async countUnloaded(state: CopyState): Promise<number> {
    const loaded = this.pages(dealsTable, state)
    let next = loaded.next()
    let count = 0
    for (const line of linesOf(this.filePath('deals.csv'))) {
      const id = idOfLine(line)
      while (next.done !== true && idOfLine(next.value) < id) next = loaded.next()
      if (next.done === true || idOfLine(next.value) !== id) count++
    }
    return count
  }

  async *deals(): AsyncIterable<DealRows> {
    const persons = linesOf(this.filePath('persons.csv'))
    let person = persons.next()
    for (const line of linesOf(this.filePath('deals.csv'))) {
      const id = idOfLine(line)
      const own: Cell[][] = []
      for (; person.done !== true && idOfLine(person.value) <= id; person = persons.next())
        own.push(parseLine(person.value))
      yield { id, deal: parseLine(line), persons: own }
    }
  }

  async drop(): Promise<void> {
    await this.renew()
    for (const { name } of tables) rmSync(this.filePath(`${name}.csv`), { force: true })
    rmSync(this.filePath('copy.json'), { force: true })
    rmSync(this.runPath(), { recursive: true })
  }

  async close(): Promise<void> {}

  private filePath = (name: string) => join(this.folder, this.prefix + name)

  /** Returns the path of a file in the run's subfolder. */
  private runPath = (name = '', run = this.run) => join(this.filePath(`run-${run}`), name)

  /** Returns the number of the last run, or 0 if there was no run. */
  private lastRun(): number {
    const names = existsSync(this.folder) ? readdirSync(this.folder) : []
    return Math.max(
      0,
      ...names
        .filter((name) => name.startsWith(`${this.prefix}run-`))
        .map((name) => Number(name.slice(this.prefix.length + 'run-'.length))),
    )
  }

  private leaseOf(run: number): RunLease {
    const path = this.runPath('holder', run)
    if (!existsSync(path)) return { name: '', silentS: 0 }
    const silentS = Math.round((Date.now() - statSync(path).mtimeMs) / 1000)
    return { name: readFileSync(path, 'utf8'), silentS }
  }

  private readState(): CopyState | null {
    const path = this.filePath('copy.json')
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as CopyState) : null
  }

  private requireOwnFiles(): void {
    const path = tables.map(({ name }) => this.filePath(`${name}.csv`)).find((path) => existsSync(path))
    if (path !== undefined)
      throw new Failure(
        `${path} exists and does not belong to a copy: choose another --prefix or folder`,
        exitCodes.usage,
      )
  }

  /** Writes a page of a load to a new file, whose name contains the number of deals loaded so far. */
  private writePage(table: Table, rows: Replacement[], { load, loadNumber }: CopyState): void {
    const path = this.runPath(`${table.name}.${loadNumber}-${load!.deals}.page`)
    writeParts(path, merge([], headerOf(table), rows))
  }

  /** Yields the lines of all pages of the load. */
  private *pages({ name }: Table, { loadNumber }: CopyState): Generator<Buffer> {
    const start = `${name}.${loadNumber}-`
    const pages = readdirSync(this.runPath()).filter((file) => file.startsWith(start))
    const dealsOf = (file: string) => Number.parseInt(file.slice(start.length), 10)
    for (const file of pages.toSorted((a, b) => dealsOf(a) - dealsOf(b))) yield* linesOf(this.runPath(file))
  }

  /** Removes unfinished files and the pages of earlier loads. */
  private clean({ load, loadNumber }: CopyState): void {
    for (const name of readdirSync(this.runPath())) {
      const [, number, deals] = /\.(\d+)-(\d+)\.page$/.exec(name) ?? []
      const isOfLoad = load !== null && Number(number) === loadNumber && Number(deals) <= load.deals
      if (name !== 'holder' && !isOfLoad) rmSync(this.runPath(name))
    }
  }

  private replace(table: Table, replacements: Replacement[], removed: readonly bigint[]): void {
    const name = `${table.name}.csv`
    if (replacements.length + removed.length === 0 && existsSync(this.filePath(name))) return
    this.put(name, merge(linesOf(this.filePath(name)), headerOf(table), replacements, removed))
  }

  /** Replaces a file atomically and durably. */
  private put(name: string, parts: Iterable<Buffer | string>): void {
    writeParts(this.runPath(name), parts)
    renameSync(this.runPath(name), this.filePath(name))
    const folder = openSync(this.folder, 'r')
    fsyncSync(folder)
    closeSync(folder)
  }

  /** Runs work that writes the run's files. @throws Failure if another run has acquired the copy */
  private withLease(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!['ENOENT', 'EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error
      throw takenBy(this.leaseOf(this.lastRun()).name)
    }
  }
}
