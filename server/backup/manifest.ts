import { hkdfSync } from 'node:crypto'
import { z } from 'zod'

/** The backup format that this version writes, and the newest format that it can read. */
export const formatVersion = 1

/** A migration: its name, and the timestamp that identifies it in the database. */
export const Migration = z.object({ tag: z.string(), when: z.int() })
export type Migration = z.infer<typeof Migration>

/** The first entry of a backup, which tells whether this version can read the rest. */
export const About = z.object({
  program: z.literal('Partner Deals'),
  format: z.int().min(1),
  madeAt: z.iso.datetime(),
  /** The last migration applied to the database. */
  migration: Migration,
  /** Identifies the ENCRYPTION_KEY without revealing it. */
  keyFingerprint: z.string(),
})
export type About = z.infer<typeof About>

const count = z.int().min(0)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** The last entry of a backup, with the sums of all other entries. */
export const Manifest = z.object({
  tables: z.array(
    z.object({ name: z.string(), columns: z.array(z.string()), rows: count, sizeBytes: count, sha256 }),
  ),
  /**
   * The last values of sequences, as text because JavaScript numbers cannot represent all 64-bit integers.
   */
  sequences: z.array(
    z.object({
      name: z.string(),
      lastValue: z
        .string()
        .regex(/^-?\d+$/)
        .nullable(),
    }),
  ),
  /** `missing` counts files that are in the database but not on disk. */
  files: z.object({ count, missing: count, sizeBytes: count, sha256 }),
  kept: z.object({ count, sizeBytes: count, sha256 }),
})
export type Manifest = z.infer<typeof Manifest>

export const aboutName = 'back-up.json'
export const manifestName = 'manifest.json'

/** Secrets stored in the data directory, each with the environment variable that overrides it. */
export const keptNames = new Map([
  ['auth-secret', 'AUTH_SECRET'],
  ['encryption-key', 'ENCRYPTION_KEY'],
  ['demo-access.json', null],
] as const)
export type KeptName = typeof keptNames extends Map<infer Name, unknown> ? Name : never

/** The configured secrets by environment variable. */
export interface Configured {
  AUTH_SECRET?: string | undefined
  ENCRYPTION_KEY?: string | undefined
}

/** Returns the secrets to back up and restore: all that are not configured by an environment variable. */
export function keptUnder(configured: Configured): KeptName[] {
  return [...keptNames]
    .filter(([, variable]) => variable === null || configured[variable] === undefined)
    .map(([name]) => name)
}

/** Returns the name of the entry for a part of a table's rows. Parts are numbered from 1. */
export const tablePartName = (table: string, part: number) =>
  `tables/${table}.${String(part).padStart(4, '0')}.copy`
export const fileName = (id: string) => `files/${id}`
export const keptEntryName = (name: KeptName) => `kept/${name}`

/** An entry other than the first and the last one. */
export type ArchiveEntry = { group: 'table' | 'file'; name: string } | { group: 'kept'; name: KeptName }

/**
 * Parses the name of an entry. Returns null for an invalid name, which could otherwise point outside of the
 * target directory.
 */
export function readEntryName(path: string): ArchiveEntry | null {
  const [, table] = /^tables\/(.+)\.\d{4,}\.copy$/.exec(path) ?? []
  if (table !== undefined) return { group: 'table', name: table }
  const [, id] = /^files\/([A-Za-z0-9_-]{1,64})$/.exec(path) ?? []
  if (id !== undefined) return { group: 'file', name: id }
  const kept = [...keptNames.keys()].find((name) => keptEntryName(name) === path)
  return kept === undefined ? null : { group: 'kept', name: kept }
}

/**
 * The sums of a group of entries. `count` is the number of rows for a table, and the number of entries for
 * files and secrets.
 */
export interface Sum {
  count: number
  sizeBytes: number
  sha256: string
}

/** The sums of an entire backup. */
export interface Sums {
  tables: ReadonlyMap<string, Sum>
  files: Sum
  kept: Sum
}

/** Returns the first difference between the manifest and the sums, or null if they agree. */
export function contradiction(manifest: Manifest, sums: Sums): string | null {
  const differ = (stated: Omit<Sum, 'count'>, statedCount: number, found: Sum) =>
    stated.sha256 !== found.sha256 || stated.sizeBytes !== found.sizeBytes || statedCount !== found.count
  const named = new Set(manifest.tables.map(({ name }) => name))
  const unnamed = [...sums.tables.keys()].find((name) => !named.has(name))
  if (unnamed !== undefined) return `the table ${JSON.stringify(unnamed)} is not in its manifest`
  for (const table of manifest.tables) {
    const found = sums.tables.get(table.name)
    if (found === undefined || differ(table, table.rows, found))
      return `the rows of the table ${JSON.stringify(table.name)} have changed`
  }
  if (differ(manifest.files, manifest.files.count, sums.files)) return 'the files of deals have changed'
  return differ(manifest.kept, manifest.kept.count, sums.kept) ? 'the secrets have changed' : null
}

/**
 * Returns the reason why this version cannot read a backup, or null. `known` are this version's migrations,
 * oldest first.
 */
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

/** Returns the fingerprint of a key: 128 bits from HKDF (RFC 5869), which do not reveal the key. */
export function fingerprintOf(encryptionKey: string): string {
  return Buffer.from(hkdfSync('sha256', encryptionKey, '', 'fingerprint in a backup', 16)).toString('hex')
}

/**
 * Returns the reason why the restored system could not decrypt its secrets, or null. `stored` is the key in
 * the data directory.
 */
export function keyProblem(
  { keyFingerprint }: Pick<About, 'keyFingerprint'>,
  { ENCRYPTION_KEY: configured }: Configured,
  stored: string | undefined,
): string | null {
  const key = configured ?? stored
  if (key !== undefined && fingerprintOf(key) === keyFingerprint) return null
  if (configured !== undefined)
    return (
      'ENCRYPTION_KEY is not the key of the backup, which encrypts its webhook secrets: ' +
      'set that key, or none if the backup includes it'
    )
  return (
    'the backup does not include the key that encrypts its webhook secrets: ' +
    'set ENCRYPTION_KEY as in the system that was backed up'
  )
}
