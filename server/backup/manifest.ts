import { hkdfSync } from 'node:crypto'
import { z } from 'zod'

/** The version of the format that this version writes, and the newest that it reads. */
export const formatVersion = 1

/** A step of the schema: its name, and the number by which a database says that it has been taken. */
export const Migration = z.object({ tag: z.string(), when: z.int() })
export type Migration = z.infer<typeof Migration>

/** The first entry of a back-up: what it takes to know whether the rest can be read. */
export const About = z.object({
  program: z.literal('Partner Deals'),
  format: z.int().min(1),
  madeAt: z.iso.datetime(),
  /** The last one of the database. */
  migration: Migration,
  /** Tells one ENCRYPTION_KEY from another, and not what it is. */
  keyFingerprint: z.string(),
})
export type About = z.infer<typeof About>

const count = z.int().min(0)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** The last entry of a back-up: what all others add up to, so that nothing can be missing where it is there and agrees. */
export const Manifest = z.object({
  tables: z.array(
    z.object({ name: z.string(), columns: z.array(z.string()), rows: count, sizeBytes: count, sha256 }),
  ),
  /** The last number that each has given; as text, being 64 bits wide. */
  sequences: z.array(
    z.object({
      name: z.string(),
      lastValue: z
        .string()
        .regex(/^-?\d+$/)
        .nullable(),
    }),
  ),
  /** `missing`: known to the database, and not on disk. */
  files: z.object({ count, missing: count, sizeBytes: count, sha256 }),
  kept: z.object({ count, sizeBytes: count, sha256 }),
})
export type Manifest = z.infer<typeof Manifest>

export const aboutName = 'back-up.json'
export const manifestName = 'manifest.json'

/** What a data directory keeps beside database and files, and the variable that takes the place of each. */
export const keptNames = new Map([
  ['auth-secret', 'AUTH_SECRET'],
  ['encryption-key', 'ENCRYPTION_KEY'],
  ['demo-access.json', null],
] as const)
export type KeptName = typeof keptNames extends Map<infer Name, unknown> ? Name : never

/** The secrets that the configuration gives, by the names of their variables. */
export interface Configured {
  AUTH_SECRET?: string | undefined
  ENCRYPTION_KEY?: string | undefined
}

/** Returns what is taken from a data directory, or put into one: all but what the configuration gives. */
export function keptUnder(configured: Configured): KeptName[] {
  return [...keptNames]
    .filter(([, variable]) => variable === null || configured[variable] === undefined)
    .map(([name]) => name)
}

/** Returns where the rows of a table stand that do not fit into the parts before; parts count from 1. */
export const tablePartName = (table: string, part: number) =>
  `tables/${table}.${String(part).padStart(4, '0')}.copy`
export const fileName = (id: string) => `files/${id}`
export const keptEntryName = (name: KeptName) => `kept/${name}`

/** What an entry between the first and the last is; null when a back-up has no such entry. */
export type Entry = { group: 'table' | 'file'; name: string } | { group: 'kept'; name: KeptName }

/** Reads the name of an entry. Nothing in it can lead out of the directory that it is for. */
export function readEntryName(path: string): Entry | null {
  const [, table] = /^tables\/(.+)\.\d{4,}\.copy$/.exec(path) ?? []
  if (table !== undefined) return { group: 'table', name: table }
  const [, id] = /^files\/([A-Za-z0-9_-]{1,64})$/.exec(path) ?? []
  if (id !== undefined) return { group: 'file', name: id }
  const kept = [...keptNames.keys()].find((name) => keptEntryName(name) === path)
  return kept === undefined ? null : { group: 'kept', name: kept }
}

/** What the entries of a group add up to: for the rows of a table, lines; for files and what is kept, entries. */
export interface Sum {
  count: number
  sizeBytes: number
  sha256: string
}

/** What a whole back-up adds up to. */
export interface Sums {
  tables: ReadonlyMap<string, Sum>
  files: Sum
  kept: Sum
}

/** Returns what of the manifest the sums contradict, in words; null when they agree. */
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

/** Returns why this version cannot read a back-up, or null; `known` are its migrations, oldest first. */
export function aboutProblem(
  { format, migration }: Pick<About, 'format' | 'migration'>,
  known: readonly Migration[],
): string | null {
  const update = 'update Partner Deals, then restore'
  if (format > formatVersion)
    return `the back-up was made by a newer version (its format is ${format}, this version knows ${formatVersion}): ${update}`
  if (!known.some(({ when }) => when === migration.when))
    return `the back-up was made by a newer version (its database has ${migration.tag}, this version ends with ${known.at(-1)?.tag}): ${update}`
  return null
}

/** Tells one key from another; 128 bits by HKDF (RFC 5869), of which nothing leads back to the key. */
export function fingerprintOf(encryptionKey: string): string {
  return Buffer.from(hkdfSync('sha256', encryptionKey, '', 'fingerprint in a back-up', 16)).toString('hex')
}

/**
 * Returns why the webhook secrets of a back-up could not be decrypted after it is restored, or null; `kept`
 * is the key that would then be in the data directory.
 */
export function keyProblem(
  { keyFingerprint }: Pick<About, 'keyFingerprint'>,
  { ENCRYPTION_KEY: configured }: Configured,
  kept: string | undefined,
): string | null {
  const key = configured ?? kept
  if (key !== undefined && fingerprintOf(key) === keyFingerprint) return null
  if (configured !== undefined)
    return 'ENCRYPTION_KEY is not the one that the webhook secrets of the back-up are encrypted with: set that one, or none if the back-up brings it along'
  return 'the webhook secrets of the back-up are encrypted with an ENCRYPTION_KEY that it does not bring along: set ENCRYPTION_KEY to the one of the system that it was made of'
}
