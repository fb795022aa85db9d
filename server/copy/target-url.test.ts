import { describe, expect, test } from 'vitest'
import { hasPassword, readTarget } from './target-url.ts'

const server = (text: string) => {
  const target = readTarget(text)
  if (!('tls' in target)) throw new Error('not a server')
  return target
}

test('a URL of a server says all that is needed to connect', () => {
  expect(
    server('postgresql://us%40er:p%2Fw@db.example:6432/deals?application_name=x&options=-c%20a%3Db'),
  ).toMatchObject({
    kind: 'postgres',
    host: 'db.example',
    port: 6432,
    user: 'us@er',
    password: 'p/w',
    database: 'deals',
    applicationName: 'x',
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
])('%s is a path', (text, path) => expect(readTarget(text)).toMatchObject({ path }))

describe('sslmode', () => {
  const tls = (query: string, scheme = 'postgres') => server(`${scheme}://h/d${query}`).tls

  test('has the meaning that libpq gives it', () => {
    expect(tls('').mode).toBe('prefer')
    expect(tls('?sslmode=disable').mode).toBe('disable')
    expect(tls('?sslmode=require').mode).toBe('require')
    expect(tls(`?sslmode=require&sslrootcert=${import.meta.filename}`)).toMatchObject({
      mode: 'verify-ca',
      ca: import.meta.filename,
    })
    expect(tls('?sslrootcert=system')).toMatchObject({ mode: 'verify-full', ca: null })
    expect(tls('?sslmode=verify-full').mode).toBe('verify-full')
    expect(() => tls('?sslmode=require&sslrootcert=system')).toThrow('needs sslmode=verify-full')
    expect(() => tls('?sslmode=on')).toThrow('sslmode must be one of')
    expect(() => tls('?sslmode=verify-ca&sslrootcert=/nowhere.pem')).toThrow('/nowhere.pem')
  })

  test("may be one of MySQL's words", () => {
    expect(tls('?ssl-mode=VERIFY_IDENTITY', 'mysql').mode).toBe('verify-full')
    expect(tls('?ssl-mode=PREFERRED', 'mysql').mode).toBe('prefer')
  })

  test('that does not verify the server is noted, and so is a channel binding without effect', () => {
    expect(server('postgres://h/d?sslmode=require&channel_binding=require').notes).toEqual([
      expect.stringContaining('without verifying'),
      expect.stringContaining('channel_binding'),
    ])
    expect(server('postgres://h/d?sslmode=verify-full&channel_binding=require').notes).toEqual([])
  })
})

test("other programs' parameters do not reach the server, and unknown ones are rejected", () => {
  const target = server('postgres://h/d?pgbouncer=true&connection_limit=1')
  expect(target.notes).toEqual([expect.stringContaining('connection_limit')])
  expect(() => server('postgres://h/d?schema=sales')).toThrow('unknown parameter schema')
})

test.each(['', 'deals', 'oracle://h/d', 'postgres://h', 'sqlite:', 'postgres://u:p#w@h/d'])(
  'rejects %j',
  (text) => expect(() => readTarget(text)).toThrow(),
)

test('notices a password wherever it is in a URL', () => {
  expect(['postgres://u:p@h/d', 'mysql://:p@h/d', 'postgres://h/d?password=x'].map(hasPassword)).toEqual([
    true,
    true,
    true,
  ])
  expect(['postgres://u@h/d', 'sqlite:a:b@c', 'csv:/a'].map(hasPassword)).toEqual([false, false, false])
})
