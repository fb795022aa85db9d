import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from './settings.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'partner-deals-settings-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const variables = {
  PARTNER_DEALS_URL: 'https://deals.example.com/api/',
  PARTNER_DEALS_TOKEN: 'pd_x',
  PARTNER_DEALS_COPY_TO: 'csv:/deals',
}

test('reads settings from the environment, a file, or a file per secret', () => {
  const expected = {
    command: 'sync',
    from: 'https://deals.example.com',
    token: 'pd_x',
    to: { kind: 'csv' },
    prefix: 'partner_',
  }
  expect(readSettings(['sync'], variables)).toMatchObject(expected)
  const text = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`)
  expect(readSettings(['sync', '--config', file('env', text.join(''))], {})).toMatchObject(expected)
  expect(
    readSettings(['sync', '--from', 'https://deals.example.com'], {
      PARTNER_DEALS_TOKEN_FILE: file('token', 'pd_x\n'),
      PARTNER_DEALS_COPY_TO_FILE: file('to', 'csv:/deals\n'),
    }),
  ).toMatchObject(expected)
})

describe('rejects invalid arguments with exit code 2 and the reason', () => {
  test.each([
    [['sync', '--to', 'postgres://u:hidden@h/d'], 'a password on the command line can be read by everyone'],
    [['sync', '--to=postgres://h/d?password=hidden'], 'a password on the command line'],
    [['sync', '--token', 'hidden'], 'a token on the command line'],
    [['sync', `pd_${'h'.repeat(36)}`], 'a token on the command line'],
    [[], 'the command must be one of check, follow'],
    [['sink'], 'the command must be one of'],
    [['sync', 'now'], 'the command must be one of'],
    [['print-ddl'], 'no tables to create'],
    [['reset'], 'confirm with --yes'],
    [['sync', '--force'], "Unknown option '--force'"],
    [['sync', '--prefix', 'a; drop'], '--prefix must consist of'],
    [['sync', '--from', 'deals.example.com'], 'the portal must be an http or https URL'],
    [['sync', '--config', '/nowhere'], '/nowhere cannot be read: ENOENT'],
  ])('rejects the arguments %j', (words, reason) => {
    const refused = () => readSettings(words, variables)
    expect(refused).toThrow(reason)
    expect(refused).toThrow(expect.objectContaining({ exitCode: 2 }))
    expect(refused).not.toThrow('hidden')
  })

  test('requires a target, portal and token; print-ddl requires only the target', () => {
    for (const [name, words] of [
      ['PARTNER_DEALS_COPY_TO', 'the target is missing'],
      ['PARTNER_DEALS_URL', 'the portal is missing'],
      ['PARTNER_DEALS_TOKEN', 'the token is missing'],
    ] as const)
      expect(() => readSettings(['sync'], { ...variables, [name]: undefined })).toThrow(words)
    expect(readSettings(['print-ddl', '--to', 'sqlite:x'], {})).toMatchObject({ to: { kind: 'sqlite' } })
  })
})

test('returns null when help is requested', () => expect(readSettings(['--help'], {})).toBeNull())
