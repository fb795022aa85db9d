import { stat } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { z } from 'zod'
import { type Database, openDatabase } from '#db/client.ts'
import { secureDataDir } from '#db/data-dir.ts'
import { startEmbedded } from '#db/embedded.ts'
import { type AuditContext, operatorCommand } from '../access/audited.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { findPartner } from '../accounts/store.ts'
import { ApiError } from '../errors.ts'
import { parseInt64, stringifyJson } from '../values/int64.ts'
import type { Config } from './env.ts'
import type { Services } from './services.ts'
import '../values/issue-text.ts'
import { waitForDatabase } from './wait-for-database.ts'

/** An error of a command. The message is shown to the operator. */
export class CommandError extends Error {}

/** Declares a command with a `--json` option. */
export function command(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).addOption(new Option('--json', 'print JSON'))
}

/** Options of a command for one partner. */
export interface OfPartner {
  partner: string
  json?: boolean
}

/** Declares a command for one partner. */
export function ofPartner(parent: Command, usage: string, description: string): Command {
  return command(parent, usage, description).requiredOption('--partner <slug>', 'the partner')
}

/** Runs the work for the partner with this slug. @throws CommandError */
export function forPartner<T>(
  { withServices }: Runner,
  slug: string,
  work: (services: Services, partnerId: PartnerId) => Promise<T>,
): Promise<T> {
  return withServices(async (services) => {
    const { id } = await requirePartner(services, slug)
    return work(services, id)
  })
}

/**
 * Prints a list as JSON or as rows of cells. On a terminal, rows are aligned under titles; otherwise, cells
 * are separated by tabs.
 */
export function printRows<Row extends object>(
  { print, isOutputTerminal }: Runner,
  rows: Row[],
  json: boolean | undefined,
  titles: readonly string[],
  cells: (row: Row) => (string | number | null)[],
): void {
  if (json === true) {
    print(stringifyJson(rows))
    return
  }
  const lines = rows.map((row) => cells(row).map((cell) => String(cell ?? '-')))
  if (!isOutputTerminal) lines.forEach((texts) => print(texts.join('\t')))
  else if (rows.length === 0) print('none')
  else aligned([titles.map((title) => title.toUpperCase()), ...lines]).forEach(print)
}

/** Formats rows of cells as text with aligned columns. */
function aligned(lines: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const line of lines) line.forEach((text, at) => (widths[at] = Math.max(widths[at] ?? 0, text.length)))
  return lines.map((line) =>
    line
      .map((text, at) => text.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  )
}

/** Prints a result as JSON or as text. */
export function printResult({ print }: Runner, json: boolean | undefined, value: object, text: string): void {
  print(json === true ? stringifyJson(value) : text)
}

/** Returns the audit context of a command. */
export const asCommand = ({ db }: { db: Database }): AuditContext => ({ db, actor: operatorCommand })

/** Describes an error for the operator. */
export function describeFailure(error: unknown): string {
  if (error instanceof ApiError && error.errors !== null) return error.errors.join('; ')
  return error instanceof Error ? error.message : String(error)
}

/**
 * Returns the parsed value. The error message begins with `nameOf` of the path of the invalid part.
 * @throws CommandError that begins with `nameOf` of the path of the invalid part
 */
export function requireValid<Output>(
  schema: z.ZodType<Output>,
  typed: unknown,
  nameOf: (path: PropertyKey[]) => string,
): Output {
  const { success, data, error } = schema.safeParse(typed)
  if (success) return data
  const { path, message } = error.issues[0]!
  throw new CommandError(`${nameOf(path)} ${message}`)
}

/** Returns the partner with this slug. @throws CommandError */
export async function requirePartner({ db }: { db: Database }, slug: string) {
  const partner = await findPartner(db, slug)
  if (partner === undefined)
    throw new CommandError(`there is no partner ${JSON.stringify(slug)}; "partner list" shows all`)
  return partner
}

/** Parses the id of a deal. @throws CommandError */
export function requireDealId(text: string): bigint {
  const id = parseInt64(text)
  if (id === null) throw new CommandError(`${JSON.stringify(text)} is not the id of a deal`)
  return id
}

/** Parses a number. @throws CommandError */
export function requireCount(text: string, what: string, max: number, min = 1): number {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : NaN
  if (count >= min && count <= max) return count
  throw new CommandError(`${what} must be a whole number from ${min} to ${max}`)
}

/** Returns the stats of a regular file. @throws CommandError */
export async function requireFile(path: string) {
  const stats = await stat(path).catch(() => null)
  const name = JSON.stringify(path)
  if (stats === null) throw new CommandError(`there is no file ${name}`)
  if (stats.isDirectory()) throw new CommandError(`${name} is a directory; name a file in it`)
  if (!stats.isFile()) throw new CommandError(`${name} is not a regular file; pipe it to -`)
  return stats
}

/** Runs the work with an existing database. Does not run migrations or create secrets. */
export async function withDatabase<T>(
  config: Config,
  warn: (message: string) => void,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { databaseDirectUrl: databaseUrl, dataDir } = config
  if (databaseUrl !== undefined) {
    await secureDataDir(dataDir, () => {})
    await waitForDatabase({ ...config, databaseUrl }, warn)
  }
  const embedded =
    databaseUrl === undefined
      ? await startEmbedded({ dataDir, database: 'partner_deals', log: () => {} })
      : null
  const db = openDatabase(databaseUrl ?? embedded!.localUrl, 1)
  try {
    return await work(db)
  } finally {
    await db.$client.end({ timeout: 5 })
    await embedded?.stop()
  }
}

/** The input, output and services of a command. */
export interface Runner {
  /** Opens the services, runs the work and closes the services. The system may be running or stopped. */
  withServices<T>(work: (services: Services) => Promise<T>): Promise<T>
  /** Returns the configuration without the secrets in the data directory. */
  readConfig(): Config
  input: NodeJS.ReadableStream
  /** True if standard error is a terminal, where commands show progress. */
  isTerminal: boolean
  /** True if standard output is a terminal, where lists have titles. */
  isOutputTerminal: boolean
  write(text: string): void
  writeError(text: string): void
  print(line: string): void
  warn(message: string): void
  /** Sets the exit code, which is 0 by default. */
  exitWith(code: number): void
  /** Calls `cleanUp` before a signal ends the process. Returns a function that unregisters `cleanUp`. */
  beforeSignal(cleanUp: () => Promise<void>): () => void
}

/** Adds `print` and `warn` to a runner. */
export function makeRunner(base: Omit<Runner, 'print' | 'warn'>): Runner {
  return {
    ...base,
    print: (line) => base.write(`${line}\n`),
    warn: (message) => base.writeError(`operator: ${message}\n`),
  }
}
