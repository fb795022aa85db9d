import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { readEnvironment } from './env-file.ts'
import { ConfigurationError } from './env.ts'

const place = mkdtempSync(join(tmpdir(), 'partner-deals-env-'))
afterAll(() => rmSync(place, { recursive: true }))

let directory: string
let warnings: string[]
beforeEach(() => {
  directory = mkdtempSync(join(place, 'x'))
  warnings = []
})

const read = (words: string[] = [], exported: Record<string, string> = {}, nodeWords: string[] = []) =>
  readEnvironment({ words, nodeWords, exported, directory, warn: (message) => warnings.push(message) })

function write(name: string, text: string, mode = 0o600): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

test('reads .env as written by people and programs', () => {
  write(
    '.env',
    [
      '\uFEFF# The installation',
      'export DATABASE_URL="postgres://deals:p#1@db.internal/deals"',
      "AUTH_SECRET='single quotes'",
      'PORT = 4000   # a remark',
      '',
      'DATA_DIR=/var/lib/deals',
      'OTHER_PROGRAM=1',
    ].join('\r\n'),
  )
  expect(read().variables).toEqual({
    DATABASE_URL: 'postgres://deals:p#1@db.internal/deals',
    AUTH_SECRET: 'single quotes',
    PORT: '4000',
    DATA_DIR: '/var/lib/deals',
    OTHER_PROGRAM: '1',
  })
  expect(warnings).toEqual([])
})

test('prefers exported variables, even empty ones, over those in the file', () => {
  write('.env', 'PORT=4000\nDEMO=on\nHOST=::1\n')
  expect(read([], { PORT: '5000', HOST: '' }).variables).toEqual({ PORT: '5000', DEMO: 'on', HOST: '' })
})

describe('the option --env-file', () => {
  test.each([
    [['--env-file', 'b.env', 'partner', 'list']],
    [['partner', '--env-file=b.env', 'list']],
    [['partner', 'list', '--env-file', 'b.env']],
  ])('replaces .env, and is not passed on to the command: %j', (words) => {
    write('.env', 'PORT=4000\nDEMO=on')
    write('b.env', 'PORT=5000')
    expect(read(words)).toEqual({ variables: { PORT: '5000' }, words: ['partner', 'list'] })
  })

  test('may be an option of Node, which has already read the file', () => {
    write('.env', 'PORT=4000')
    expect(read(['list'], { PORT: '5000' }, ['--env-file=b.env'])).toEqual({
      variables: { PORT: '5000' },
      words: ['list'],
    })
  })

  test('after -- belongs to the command', () => {
    expect(read(['import', '--', '--env-file'])).toEqual({
      variables: {},
      words: ['import', '--', '--env-file'],
    })
  })

  test('must name a file that can be read', () => {
    expect(() => read(['--env-file', 'missing'])).toThrow(
      new ConfigurationError(`${join(directory, 'missing')}: no such file`),
    )
    mkdirSync(join(directory, 'folder'))
    expect(() => read(['--env-file=folder'])).toThrow('it is a directory')
    expect(() => read(['--env-file'])).toThrow('--env-file: must be followed by the path of a file')
  })
})

test('without a file, the exported variables are used', () => {
  expect(read(['list'], { PORT: '5000' })).toEqual({ variables: { PORT: '5000' }, words: ['list'] })
})

test('rejects a misspelled name, which would start another system', () => {
  const path = write('.env', 'DATABSE_URL=postgres://db/deals\nSMTP_URl=smtp://x')
  expect(() => read()).toThrow(
    `${path}: unknown variable DATABSE_URL; did you mean DATABASE_URL?\n` +
      `${path}: unknown variable SMTP_URl; did you mean SMTP_URL?`,
  )
})

test('reads a file in UTF-16, as written by PowerShell', () => {
  writeFileSync(join(directory, '.env'), Buffer.from('\uFEFFPORT=4000\r\nDEMO=off\r\n', 'utf16le'), {
    mode: 0o600,
  })
  expect(read().variables).toEqual({ PORT: '4000', DEMO: 'off' })
})

test.each([
  ['PORT: 4000\nDEMO=off', 'line 1 must look like NAME=value'],
  ['DEMO off\nPORT=4000', 'line 1 must look like NAME=value'],
  ['AUTH_SECRET="a\nb"\nset PORT=4000', 'line 3 must look like NAME=value'],
  ['AUTH_SECRET=“secret”', `AUTH_SECRET: the quotes are typographic; use " or '`],
  ['  export AUTH_SECRET = pass#word', 'AUTH_SECRET: write a value with # in quotes'],
])('rejects an ambiguous line: %j', (text, problem) => {
  const path = write('.env', text)
  expect(() => read()).toThrow(new ConfigurationError(`${path}: ${problem}`))
})

test.each([
  ["AUTH_SECRET='pass#word' # my secret", 'pass#word'],
  ['AUTH_SECRET=password # my#secret', 'password'],
  ['  export   AUTH_SECRET=password', 'password'],
  ['COLOR=red#1\nspring.port=1\nAUTH_SECRET=password', 'password'],
])('reads %j', (text, secret) => {
  write('.env', text)
  expect(read().variables).toMatchObject({ AUTH_SECRET: secret })
})

test('warns of a file that every user can read', () => {
  const path = write('.env', 'PORT=4000', 0o644)
  read()
  expect(warnings).toEqual([
    `Every user of this machine can read ${path}, and it may have secrets: chmod o= ${path}`,
  ])
})
