import { Command, Option } from 'commander'
import { findPartner } from './accounts/store.ts'
import { type Doing, operatorCommand } from './audited.ts'
import { readConfig } from './env.ts'
import { Refusal } from './errors.ts'
import { parseInt64, stringifyJson } from './int64.ts'
import type { Services } from './services.ts'
import { makeLog, openSystem } from './system.ts'

/** What is wrong with a command, in words for the operator. */
export class CommandError extends Error {}

/** Writes a line for whoever, or whatever, gave the command. */
export const print = (text: string) => void process.stdout.write(`${text}\n`)

/** A command with `--json`, run with the system open. */
export function command(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).addOption(new Option('--json', 'print JSON'))
}

/** Does the work with the system open, which may be running or stopped. */
export async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  const config = readConfig({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' })
  // Where the embedded database keeps its files is said by the start of the server.
  const system = await openSystem(config, makeLog(config), () => {})
  try {
    return await work(system.services)
  } finally {
    await system.close()
  }
}

/** Prints a list as JSON, or as lines of cells. */
export function printRows<Row extends object>(rows: Row[], json: boolean | undefined, cells: (row: Row) => (string | number | null)[]): void {
  if (json === true) print(stringifyJson(rows))
  else for (const row of rows) print(cells(row).map((cell) => cell ?? '-').join('\t'))
}

/** Returns what an action needs to know of a command, which is the same one that the portal takes. */
export const asCommand = ({ db }: Services): Doing => ({ services: { db }, actor: operatorCommand })

/** Returns what went wrong, in words for the operator. */
export function describeFailure(error: unknown): string {
  if (error instanceof Refusal && error.errors !== null) return error.errors.join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** The partner with this slug. @throws CommandError */
export async function requirePartner(services: Services, slug: string) {
  const partner = await findPartner(services.db, slug)
  if (partner === undefined) throw new CommandError(`there is no partner ${JSON.stringify(slug)}; "partner list" shows all`)
  return partner
}

/** The id in the text. @throws CommandError */
export function requireDealId(text: string): bigint {
  const id = parseInt64(text)
  if (id === null) throw new CommandError(`${JSON.stringify(text)} is not the id of a deal`)
  return id
}
