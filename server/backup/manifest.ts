import { hkdfSync } from 'node:crypto'
import { z } from 'zod'

/** The written format version, and the newest readable one. */
export const formatVersion = 1

/** A migration: its name, and the timestamp that identifies it in a database. */
export const Migration = z.object({ tag: z.string(), when: z.int() })
export type Migration = z.infer<typeof Migration>

/** The first entry of a backup: it decides whether the rest can be read. */
export const About = z.object({
  program: z.literal('Partner Deals'),
  format: z.int().min(1),
  madeAt: z.iso.datetime(),
  /** The last migration of the database. */
  migration: Migration,
  /** Identifies the ENCRYPTION_KEY without revealing it. */
  keyFingerprint: z.string(),
})
export type About = z.infer<typeof About>

const count = z.int().min(0)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/**
 * The last entry of a backup: the sums of all others, so a matching manifest proves that nothing is missing.
 */
export const Manifest = z.object({
  tables: z.array(
    z.object({ name: z.string(), columns: z.array(z.string()), rows: count, sizeBytes: count, sha256 }),
  ),
  /** The last value of each sequence; as text, because it has 64 bits. */
  sequences: z.array(
    z.object({
      name: z.string(),
      lastValue: z
        .string()
        .regex(/^-?\d+$/)
        .nullable(),
    }),
  ),
  /** `missing` files are in the database but not on disk. */
  files: z.object({ count, missing: count, sizeBytes: count, sha256 }),
  kept: z.object({ count, sizeBytes: count, sha256 }),
})
export type Manifest = z.infer<typeof Manifest>

export const aboutName = 'back-up.json'
export const manifestName = 'manifest.json'

/** The secrets of a data directory, and the variable that can replace each. */
const keptNames = new Map([
  ['auth-secret', 'AUTH_SECRET'],
  ['encryption-key', 'ENCRYPTION_KEY'],
  ['demo-access.json', null],
] as const)
export type KeptName = typeof keptNames extends Map<infer Name, unknown> ? Name : never

/** The configured secrets, by the names of their variables. */
export interface Configured {
  AUTH_SECRET?: string | undefined
  ENCRYPTION_KEY?: string | undefined
}

/** Returns the secrets to back up from or restore to a data directory: those that are not configured. */
export function keptUnder(configured: Configured): KeptName[] {
  return [...keptNames]
    .filter(([, variable]) => variable === null || configured[variable] === undefined)
    .map(([name]) => name)
}

/** Returns the name of an entry with further rows of a table; parts count from 1. */
export const tablePartName = (table: string, part: number) =>
  `tables/${table}.${String(part).padStart(4, '0')}.copy`
export const fileName = (id: string) => `files/${id}`
export const keptEntryName = (name: KeptName) => `kept/${name}`

/** An entry between the first and the last; null if its name is not valid. */
export type ArchiveEntry = { group: 'table' | 'file'; name: string } | { group: 'kept'; name: KeptName }

/** Parses the name of an entry. A valid name cannot lead out of its directory. */
export function readEntryName(path: string): ArchiveEntry | null {
  const [, table] = /^tables\/(.+)\.\d{4,}\.copy$/.exec(path) ?? []
  if (table !== undefined) return { group: 'table', name: table }
  const [, id] = /^files\/([A-Za-z0-9_-]{1,64})$/.exec(path) ?? []
  if (id !== undefined) return { group: 'file', name: id }
  const kept = [...keptNames.keys()].find((name) => keptEntryName(name) === path)
  return kept === undefined ? null : { group: 'kept', name: kept }
}

/** The sums of a group of entries: lines for the rows of a table, entries for files and secrets. */
export interface Sum {
  count: number
  sizeBytes: number
  sha256: string
}

/** The sums of a whole backup. */
export interface Sums {
  tables: ReadonlyMap<string, Sum>
  files: Sum
  kept: Sum
}

/** Describes the first mismatch between manifest and sums, or returns null. */
export function contradiction(manifest: Manifest, sums: Sums): string | null {
  const differ = (said: Omit<Sum, 'count'>, countSaid: number, found: Sum) =>
    said.sha256 !== found.sha256 || said.sizeBytes !== found.sizeBytes || countSaid !== found.count
  const named = new Set(manifest.tables.map(({ name }) => name))
  const unnamed = [...sums.tables.keys()].find((name) => !named.has(name))
  if (unnamed !== undefined)
    return `it has rows of a table ${JSON.stringify(unnamed)} that its manifest does not name`
  for (const table of manifest.tables) {
    const found = sums.tables.get(table.name)
    if (found === undefined || differ(table, table.rows, found))
      return `the rows of the table ${JSON.stringify(table.name)} are not those that were written`
  }
  if (differ(manifest.files, manifest.files.count, sums.files))
    return 'the files of deals are not those that were written'
  return differ(manifest.kept, manifest.kept.count, sums.kept)
    ? 'the secrets are not those that were written'
    : null
}

/** Returns why this version cannot read a backup, or null; `known` are its migrations, oldest first. */
export function aboutProblem(
  { format, migration }: Pick<About, 'format' | 'migration'>,
  known: readonly Migration[],
): string | null {
  const update = 'update Partner Deals, then restore'
  if (format > formatVersion)
    return (
      `the backup was made by a newer version (its format is ${format}, ` +
      `this version knows ${formatVersion}): ${update}`
    )
  if (migration.when < known[0]!.when)
    return (
      'the backup was made by a version that is too old: restore it with that version, upgrade as the guide ' +
      'to backups says, and back up again'
    )
  if (!known.some(({ when }) => when === migration.when))
    return (
      `the backup was made by a newer version (its database has ${migration.tag}, ` +
      `this version ends with ${known.at(-1)?.tag}): ${update}`
    )
  return null
}

/** Returns a fingerprint of a key: 128 bits by HKDF (RFC 5869), from which the key cannot be derived. */
export function fingerprintOf(encryptionKey: string): string {
  return Buffer.from(hkdfSync('sha256', encryptionKey, '', 'fingerprint in a backup', 16)).toString('hex')
}

/**
 * Returns why the webhook secrets of a backup could not be decrypted after restoring it, or null; `kept` is
 * the key that would be in the data directory.
 */
export function keyProblem(
  { keyFingerprint }: Pick<About, 'keyFingerprint'>,
  { ENCRYPTION_KEY: configured }: Configured,
  kept: string | undefined,
): string | null {
  const key = configured ?? kept
  if (key !== undefined && fingerprintOf(key) === keyFingerprint) return null
  if (configured !== undefined)
    return (
      'ENCRYPTION_KEY is not the one that the webhook secrets of the backup are encrypted with: ' +
      'set that one, or none if the backup brings it along'
    )
  return (
    'the webhook secrets of the backup are encrypted with an ENCRYPTION_KEY that it does not bring ' +
    'along: set ENCRYPTION_KEY to the one of the system that it was made of'
  )
}
