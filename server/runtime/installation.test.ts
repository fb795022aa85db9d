import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { readConfig } from './env.ts'
import { type MayCreate, databaseText, recordInstallation, requireInstallation } from './installation.ts'

const place = mkdtempSync(join(tmpdir(), 'partner-deals-installation-'))
afterAll(() => rmSync(place, { recursive: true }))

/** The project's directory, the default data directory in it, and the data directory of the installation. */
let project: string
let trial: string
let dataDir: string
beforeEach(() => {
  project = mkdtempSync(join(place, 'x'))
  trial = join(project, '.data')
  dataDir = mkdtempSync(join(place, 'y'))
})

const url = 'postgres://deals:a%20secret@db.internal/deals'

const record = (variables: Record<string, string> = { DATABASE_URL: url, DATA_DIR: dataDir }) =>
  recordInstallation(readConfig(variables), project)

/** Returns the reason for rejecting a program with these variables, or null. */
function refusal(variables: Record<string, string>, mayCreate: MayCreate = 'never'): string | null {
  const config = { ...readConfig(variables), dataDir: variables['DATA_DIR'] || trial }
  try {
    requireInstallation(config, variables, project, mayCreate)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

function createEmbedded(directory: string) {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'postgres-password'), 'x')
}

test('a command fails without DATABASE_URL and embedded database, and creates nothing', () => {
  expect(refusal({})).toContain(`DATABASE_URL: is not set, and there is no embedded database in ${trial}.`)
  expect(refusal({ DATABASE_URL: '', DATA_DIR: dataDir })).toContain(`no embedded database in ${dataDir}.`)
  expect(refusal({}, 'chosen')).toContain('set DATA_DIR to create an embedded database there')
  expect(refusal({ DATA_DIR: dataDir }, 'chosen')).toBeNull()
  expect(refusal({}, 'always')).toBeNull()
})

test('a command uses an existing embedded database', () => {
  createEmbedded(trial)
  expect(refusal({})).toBeNull()
})

test('a command with DATABASE_URL runs without further checks', () => {
  record()
  expect(refusal({ DATABASE_URL: url })).toBeNull()
})

test('a command without the variables of its installation names the installed database instead of using the trial', () => {
  createEmbedded(trial)
  record()
  for (const variables of [{}, { DATA_DIR: dataDir }] as Record<string, string>[]) {
    const reason = refusal(variables)
    expect(reason).toContain(
      `this installation uses the database deals at db.internal:5432, with DATA_DIR=${dataDir}.`,
    )
    expect(reason).toContain('.env')
    expect(reason).not.toContain('secret')
  }
  expect(refusal({}, 'chosen')).toContain('db.internal')
  // The trial database is used if it is chosen or started explicitly.
  expect(refusal({ DATA_DIR: trial })).toBeNull()
  expect(refusal({}, 'always')).toBeNull()
})

test('no program uses the embedded database in the data directory of another database', () => {
  createEmbedded(trial)
  record({ DATABASE_URL: url, DATA_DIR: trial })
  for (const mayCreate of ['never', 'chosen', 'always'] as const)
    expect(refusal({}, mayCreate)).toContain(`remove ${join(trial, 'database')}`)
})

test('a removed installation is forgotten', () => {
  createEmbedded(trial)
  record()
  rmSync(dataDir, { recursive: true })
  expect(refusal({})).toBeNull()
})

test('stores the database URL without its password, readable only by its owner', () => {
  mkdirSync(trial)
  record({ DATABASE_URL: url, DATABASE_DIRECT_URL: 'postgres://u:p@h1,h2:6000/other', DATA_DIR: trial })
  expect(readFileSync(join(trial, 'database'), 'utf8')).toBe('other at h1:5432, h2:6000\n')
  expect(databaseText('postgres://u@%2Frun%2Fpostgresql')).toBe(
    'the default database at /run/postgresql/.s.PGSQL.5432',
  )
})

test('a worker with the URL of the embedded database does not manage that database', () => {
  createEmbedded(dataDir)
  record({ DATABASE_URL: 'postgres://postgres:x@127.0.0.1:25040/partner_deals', DATA_DIR: dataDir })
  expect(refusal({ DATA_DIR: dataDir })).toBeNull()
  record({ DATABASE_URL: url, DATA_DIR: dataDir })
  expect(refusal({ DATA_DIR: dataDir })).toContain('this installation uses the database deals at db.internal')
})
