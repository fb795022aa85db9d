import { describe, expect, test } from 'vitest'
import {
  About,
  type Manifest,
  type Sum,
  type Sums,
  contradiction,
  fileName,
  fingerprintOf,
  formatVersion,
  keptUnder,
  readEntryName,
  aboutProblem,
  keyProblem,
  tablePartName,
} from './manifest.ts'

const sum = (digit: string, count = 1): Sum => ({ count, sizeBytes: 10, sha256: digit.repeat(64) })
const manifest: Manifest = {
  tables: [
    { name: 'deals', columns: ['id'], rows: 3, sizeBytes: 10, sha256: 'a'.repeat(64) },
    { name: 'users', columns: ['id'], rows: 1, sizeBytes: 10, sha256: 'b'.repeat(64) },
  ],
  sequences: [],
  files: { ...sum('c'), missing: 0 },
  kept: sum('d', 2),
}
const sums: Sums = {
  tables: new Map([
    ['deals', sum('a', 3)],
    ['users', sum('b')],
  ]),
  files: sum('c'),
  kept: sum('d', 2),
}

describe('the name of a backup entry', () => {
  test.each(['deals', 'a table', '../deals', 'deals.0001.copy'])('identifies the table %j', (table) => {
    for (const part of [1, 12, 12_345])
      expect(readEntryName(tablePartName(table, part))).toEqual({ group: 'table', name: table })
  })

  test('identifies files and other contents', () => {
    expect(readEntryName(fileName('abc_-9'))).toEqual({ group: 'file', name: 'abc_-9' })
    expect(readEntryName('kept/encryption-key')).toEqual({ group: 'kept', name: 'encryption-key' })
  })

  test.each([
    'files/../auth-secret',
    'files/',
    'files/a/b',
    'files/a.b',
    '/files/a',
    'kept/../../x',
    'kept/postgres-password',
    'tables/deals.copy',
    'tables/deals.1.copy',
    'manifest.json',
    '',
  ])('is rejected if it is %j', (name) => {
    expect(readEntryName(name)).toBeNull()
  })
})

describe('the manifest of a backup', () => {
  test('matches the backup it was made from', () => expect(contradiction(manifest, sums)).toBeNull())

  const rowsOf = (table: string) => `the rows of the table "${table}" have changed`
  const wrong: [string, Partial<Sums>, string][] = [
    ['a row is missing', { tables: new Map(sums.tables).set('deals', sum('a', 2)) }, rowsOf('deals')],
    ['a row is another', { tables: new Map(sums.tables).set('users', sum('e')) }, rowsOf('users')],
    ['a table is missing', { tables: new Map([['deals', sum('a', 3)]]) }, rowsOf('users')],
    [
      'there is a table too many',
      { tables: new Map(sums.tables).set('more', sum('a')) },
      'the table "more" is not in its manifest',
    ],
    ['a file is another', { files: sum('e') }, 'the files of deals have changed'],
    ['a file is missing', { files: sum('c', 0) }, 'the files of deals have changed'],
    ['a secret is another', { kept: sum('e', 2) }, 'the secrets have changed'],
  ]
  test.each(wrong)('reports when %s', (_what, change, words) =>
    expect(contradiction(manifest, { ...sums, ...change })).toBe(words),
  )
})

describe('a backup version', () => {
  const known = [
    { tag: '0000_first', when: 1 },
    { tag: '0001_second', when: 2 },
  ]

  test('can be read if the same or older', () => {
    for (const migration of known)
      expect(aboutProblem({ format: formatVersion, migration }, known)).toBeNull()
  })

  test('is rejected if it precedes the first migration', () => {
    expect(aboutProblem({ format: 1, migration: { tag: '0044_before', when: 0 } }, known)).toBe(
      'the backup was made by a version that is too old: restore it with that version, upgrade as the guide to backups says, and back up again',
    )
  })

  test('is rejected by name if newer', () => {
    expect(aboutProblem({ format: 1, migration: { tag: '0002_third', when: 3 } }, known)).toBe(
      'the backup was made by a newer version (its database has 0002_third, this version ends with 0001_second): update Partner Deals, then restore',
    )
    expect(aboutProblem({ format: 2, migration: known[0]! }, known)).toBe(
      'the backup was made by a newer version (its format is 2, this version knows 1): update Partner Deals, then restore',
    )
  })

  test('is preceded by the format in the file', () => {
    const about = {
      program: 'Partner Deals',
      format: 1,
      madeAt: '2026-03-01T10:00:00.000Z',
      migration: known[0],
      keyFingerprint: 'x',
    }
    expect(About.safeParse(about).success).toBe(true)
    for (const change of [{ program: 'Other' }, { format: 0 }, { migration: '0000' }, { madeAt: 'today' }])
      expect(About.safeParse({ ...about, ...change }).success).toBe(false)
  })
})

describe('the secrets in a backup', () => {
  test('include keys missing from the configuration', () => {
    expect(keptUnder({})).toEqual(['auth-secret', 'encryption-key', 'demo-access.json'])
    expect(keptUnder({ AUTH_SECRET: undefined, ENCRYPTION_KEY: 'x' })).toEqual([
      'auth-secret',
      'demo-access.json',
    ])
    expect(keptUnder({ AUTH_SECRET: 'x', ENCRYPTION_KEY: 'x' })).toEqual(['demo-access.json'])
  })

  test('must decrypt the backup: the configured key, or else the included key', () => {
    const about = { keyFingerprint: fingerprintOf('the right key') }
    expect(keyProblem(about, {}, 'the right key')).toBeNull()
    expect(keyProblem(about, { ENCRYPTION_KEY: 'the right key' }, undefined)).toBeNull()
    expect(keyProblem(about, { ENCRYPTION_KEY: 'the right key' }, 'another')).toBeNull()
    expect(keyProblem(about, { ENCRYPTION_KEY: 'another' }, 'the right key')).toMatch(
      /^ENCRYPTION_KEY is not the key of the backup/,
    )
    for (const kept of [undefined, 'another'])
      expect(keyProblem(about, {}, kept)).toMatch(/: set ENCRYPTION_KEY as in the system/)
  })
})
