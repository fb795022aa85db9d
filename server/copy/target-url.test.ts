import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { hasPassword, readTarget, tlsOptions } from './target-url.ts'

const server = (text: string) => {
  const target = readTarget(text)
  if (!('sslmode' in target)) throw new Error('not a server')
  return target
}

test('parses the URL of a server', () => {
  expect(server('postgresql://us%40er:p%2Fw@db.example:6432/deals?options=-c%20a%3Db')).toMatchObject({
    kind: 'postgres',
    host: 'db.example',
    port: 6432,
    user: 'us@er',
    password: 'p/w',
    database: 'deals',
    options: '-c a=b',
  })
  expect(server('mariadb://u@[::1]/deals')).toMatchObject({
    kind: 'mysql',
    host: '::1',
    port: 3306,
    user: 'u',
    database: 'deals',
  })
  expect(server('postgres:///deals?host=/run/postgresql')).toMatchObject({
    host: '/run/postgresql',
    database: 'deals',
  })
})

test.each([
  ['sqlite:deals.db', 'deals.db'],
  ['sqlite:/var/deals.db', '/var/deals.db'],
  ['sqlite:///var/deals.db', '/var/deals.db'],
  ['csv:./folder', './folder'],
])('reads %s as a path', (text, path) => expect(readTarget(text)).toMatchObject({ path }))

describe('the sslmode parameter', () => {
  const tls = (query: string, host = 'h') => {
    const target = server(`postgres://${host}/d${query}`)
    return { mode: target.sslmode, ca: target.certificates.ca, ...tlsOptions(target) }
  }

  test('has the same meaning as in libpq', () => {
    const content = readFileSync(import.meta.filename, 'utf8')
    expect(tls('').mode).toBe('prefer')
    expect(tls('?sslmode=disable').mode).toBe('disable')
    expect(tls('?sslmode=require')).toMatchObject({ mode: 'require', rejectUnauthorized: false })
    expect(tls(`?sslmode=require&sslrootcert=${import.meta.filename}`)).toMatchObject({
      mode: 'verify-ca',
      ca: content,
      rejectUnauthorized: true,
      verifyIdentity: false,
    })
    expect(tls('?sslrootcert=system')).toMatchObject({ mode: 'verify-full', ca: undefined })
    expect(tls('?sslmode=verify-full')).toMatchObject({ rejectUnauthorized: true, verifyIdentity: true })
    expect(tls('?sslmode=verify-full')).not.toHaveProperty('checkServerIdentity')
  })

  test.each([
    ['?sslmode=require&sslrootcert=system', 'requires sslmode=verify-full'],
    ['?sslmode=on', 'sslmode must be one of'],
    ['?sslmode=verify-ca&sslrootcert=/nowhere.pem', '/nowhere.pem'],
  ])('rejects the target %s', (query, reason) => expect(() => tls(query)).toThrow(reason))

  test('rejects verify-full for an IP address, which the drivers do not verify', () => {
    expect(() => tls('?sslmode=verify-full', '10.0.0.5')).toThrow(
      'requires the host name of the database server',
    )
    expect(tls('?sslmode=verify-ca', '10.0.0.5').mode).toBe('verify-ca')
  })
})

test('ignores parameters of other programs, and rejects unknown ones', () => {
  expect(server('postgres://h/d?pgbouncer=true&connection_limit=1&channel_binding=require')).toEqual(
    server('postgres://h/d'),
  )
  expect(() => server('postgres://h/d?schema=sales')).toThrow('unknown parameter schema')
})

test.each(['', 'deals', 'oracle://h/d', 'postgres://h', 'sqlite:', 'postgres://u:p#w@h/d'])(
  'rejects the URL %j',
  (text) => expect(() => readTarget(text)).toThrow(),
)

test('detects a password in any part of a URL', () => {
  expect(['postgres://u:p@h/d', 'mysql://:p@h/d', 'postgres://h/d?password=x'].map(hasPassword)).toEqual([
    true,
    true,
    true,
  ])
  expect(['postgres://u@h/d', 'sqlite:a:b@c', 'csv:/a'].map(hasPassword)).toEqual([false, false, false])
})
