import {
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  closeSync,
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
import {
  type Replacement,
  FileWriter,
  csvLine,
  headerOf,
  idOfLine,
  linesOf,
  merge,
  parseLine,
} from './csv-file.ts'
import { Failure, anotherRuns } from './failures.ts'
import { holderName, refuseIfHeld } from './holder.ts'
import type { CopyState } from './state.ts'
import { type Cell, type Table, dealsTable, eventsTable, personsTable, versionColumns } from './tables.ts'
import type { Batch, Stored, Target } from './target.ts'

/** The content of the state's file. */
interface StoredFile {
  state: CopyState
  /** How many bytes of the load's files count; the rest was being written when a run ended. */
  loaded: { deals: number; persons: number }
}

const tables = [dealsTable, personsTable, eventsTable]
const nothingLoaded = { deals: 0, persons: 0 }

/**
 * A copy in a folder: one CSV file a table, each replaced as a whole, and the state in JSON. A file with a
 * generation in its name says which run has the folder. Whoever takes it removes that of the run before, and
 * all files which that run has not renamed yet; so one that wakes up later has nothing left to rename.
 */
export class CsvTarget implements Target {
  private readonly folder: string
  private readonly prefix: string
  private generation = 0
  private loaded = { ...nothingLoaded }

  constructor(folder: string, prefix: string) {
    this.folder = folder
    this.prefix = prefix
  }

  describe = async () => ({ folder: this.folder })

  async read(): Promise<Stored | null> {
    const file = this.readFile()
    if (file === null) return null
    const [claim] = this.claims()
    return { state: file.state, holder: claim === undefined ? null : this.holderOf(claim) }
  }

  async probe(): Promise<void> {
    const isNew = !existsSync(this.folder)
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const path = this.path('probe.tmp')
    writeFileSync(path, '', { mode: 0o600 })
    rmSync(path)
    if (isNew) rmSync(this.folder, { recursive: true })
  }

  async claim(initial: CopyState): Promise<CopyState> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const [previous, ...older] = this.claims()
    if (previous !== undefined) refuseIfHeld(this.holderOf(previous))
    if (this.readFile() === null) this.refuseForeign()
    this.generation = (previous ?? 0) + 1
    try {
      writeFileSync(this.claimPath(this.generation), holderName, { flag: 'wx', mode: 0o600 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw anotherRuns('it began at the same time')
      throw error
    }
    for (const claim of [previous, ...older])
      if (claim !== undefined) rmSync(this.claimPath(claim), { force: true })
    const file = this.readFile() ?? { state: initial, loaded: nothingLoaded }
    this.takeLoad(file)
    this.writeState(file.state)
    return file.state
  }

  async renew(): Promise<void> {
    this.requireClaim()
    const now = new Date()
    utimesSync(this.claimPath(this.generation), now, now)
  }

  async release(): Promise<void> {
    if (existsSync(this.claimPath(this.generation))) truncateSync(this.claimPath(this.generation))
  }

  async write({ state, deals = [], removed = [], events = [], load }: Batch): Promise<void> {
    const sorted = deals.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const dealRows = sorted.map(({ id, deal }) => ({ id, rows: [deal] }))
    const personRows = sorted.map(({ id, persons }) => ({ id, rows: persons }))
    if (load === undefined) {
      const gone = new Set(removed)
      this.replace(dealsTable, dealRows, gone)
      this.replace(personsTable, personRows, gone)
      this.replace(
        eventsTable,
        events.map((row) => ({ id: BigInt(row[0]!), rows: [row] })),
        new Set(),
      )
    } else {
      if (load === 'begin') this.loaded = { ...nothingLoaded }
      this.append(dealsTable, dealRows)
      this.append(personsTable, personRows)
      if (load === 'end') this.finishLoad()
    }
    this.writeState(state)
  }

  async count(): Promise<number> {
    let count = 0
    for (const _ of linesOf(this.path('deals.csv'))) count++
    return count
  }

  async countUnloaded(): Promise<number> {
    let count = 0
    const loaded = linesOf(this.loadPath('deals'))
    let next = loaded.next()
    for (const line of linesOf(this.path('deals.csv'))) {
      const id = idOfLine(line)
      while (next.done !== true && idOfLine(next.value) < id) next = loaded.next()
      if (next.done === true || idOfLine(next.value) !== id) count++
    }
    return count
  }

  deals = () => this.list('deals')

  async *versions(): AsyncIterable<Cell[]> {
    for await (const cells of this.list('deals'))
      yield versionColumns.map((column) => cells[dealsTable.columns.indexOf(column)]!)
  }

  persons = () => this.list('persons')

  async drop(): Promise<void> {
    this.requireClaim()
    for (const name of this.files()) rmSync(join(this.folder, name), { force: true })
  }

  async close(): Promise<void> {}

  private path = (name: string) => join(this.folder, this.prefix + name)

  private claimPath = (generation: number) => this.path(`copy.run-${generation}`)

  private loadPath = (table: string, generation = this.generation) =>
    this.path(`${table}.load-${generation}.tmp`)

  private files(): string[] {
    const own = /^(?:copy\.(?:json|run-\d+)|(?:deals|persons|events)\.csv|.*\.tmp)$/
    return readdirSync(this.folder).filter(
      (name) => name.startsWith(this.prefix) && own.test(name.slice(this.prefix.length)),
    )
  }

  /** Lists the generations that have a file, the newest first. */
  private claims(): number[] {
    if (!existsSync(this.folder)) return []
    return this.files()
      .flatMap((name) => /copy\.run-(\d+)$/.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => b - a)
  }

  private holderOf(generation: number): Stored['holder'] {
    const path = this.claimPath(generation)
    const name = readFileSync(path, 'utf8')
    const silentS = Math.round((Date.now() - statSync(path).mtimeMs) / 1000)
    return name === '' ? null : { name, silentS }
  }

  private readFile(): StoredFile | null {
    const path = this.path('copy.json')
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as StoredFile) : null
  }

  private refuseForeign(): void {
    const table = tables.find(({ name }) => existsSync(this.path(`${name}.csv`)))
    if (table !== undefined)
      throw new Failure(
        `the file ${this.path(`${table.name}.csv`)} exists and is not a copy's: choose another --prefix or folder`,
        2,
      )
  }

  /** Makes the files of a load this run's own, up to where they count, and removes all others. */
  private takeLoad({ state, loaded }: StoredFile): void {
    const others = this.files().filter((name) => name.endsWith('.tmp'))
    for (const table of ['deals', 'persons'] as const) {
      const found = others
        .filter((name) => name.startsWith(`${this.prefix}${table}.load-`))
        .map((name) => join(this.folder, name))
        .find((path) => statSync(path).size >= loaded[table])
      if (state.load === null || loaded[table] === 0) continue
      if (found === undefined) state.load = null
      else {
        // A copy: a run that wakes up may still write to the file that it has open.
        copyFileSync(found, this.loadPath(table))
        truncateSync(this.loadPath(table), loaded[table])
      }
    }
    this.loaded = state.load === null ? { ...nothingLoaded } : { ...loaded }
    for (const name of others) rmSync(join(this.folder, name), { force: true })
  }

  private append({ name, ...table }: Table, replacements: Replacement[]): void {
    const at = this.loaded[name as 'deals']
    if (at === 0) rmSync(this.loadPath(name), { force: true })
    const writer = new FileWriter(this.loadPath(name), at)
    if (at === 0) writer.write(headerOf({ name, ...table }))
    for (const { rows } of replacements) for (const row of rows) writer.write(csvLine(row))
    writer.end()
    this.loaded[name as 'deals'] = writer.position
  }

  private finishLoad(): void {
    for (const name of ['deals', 'persons']) this.rename(this.loadPath(name), this.path(`${name}.csv`))
    this.loaded = { ...nothingLoaded }
    if (!existsSync(this.path('events.csv'))) this.replace(eventsTable, [], new Set(), true)
  }

  private replace(
    table: Table,
    replacements: Replacement[],
    removed: ReadonlySet<bigint>,
    isNew = false,
  ): void {
    if (replacements.length === 0 && removed.size === 0 && !isNew) return
    const path = this.path(`${table.name}.csv`)
    const temporary = this.path(`${table.name}.${this.generation}.tmp`)
    rmSync(temporary, { force: true })
    const writer = new FileWriter(temporary)
    merge(path, writer, headerOf(table), replacements, removed)
    writer.end()
    this.rename(temporary, path)
  }

  private writeState(state: CopyState): void {
    const temporary = this.path(`copy.${this.generation}.tmp`)
    rmSync(temporary, { force: true })
    const writer = new FileWriter(temporary)
    writer.write(`${JSON.stringify({ state, loaded: this.loaded } satisfies StoredFile, null, 2)}\n`)
    writer.end()
    this.rename(temporary, this.path('copy.json'))
  }

  private rename(from: string, to: string): void {
    this.requireClaim()
    try {
      renameSync(from, to)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        throw anotherRuns('it removed the files of this run')
      throw error
    }
    const folder = openSync(this.folder, 'r')
    fsyncSync(folder)
    closeSync(folder)
  }

  private requireClaim(): void {
    if (!existsSync(this.claimPath(this.generation))) throw anotherRuns(`generation ${this.claims()[0] ?? 0}`)
  }

  private async *list(table: string): AsyncIterable<Cell[]> {
    for (const line of linesOf(this.path(`${table}.csv`))) yield parseLine(line.toString())
  }
}
