import { expect, test } from 'vitest'
import { hostsText, parseDatabaseUrl } from './database-url.ts'

const serversOf = (url: string) => parseDatabaseUrl(url)?.servers

test('each host has its own port, 5432 by default', () => {
  expect(serversOf('postgres://deals:secret@db.internal/deals')).toEqual([
    { host: 'db.internal', port: 5432 },
  ])
  expect(serversOf('postgresql://h1:5433,h2,h3:6000/deals')).toEqual([
    { host: 'h1', port: 5433 },
    { host: 'h2', port: 5432 },
    { host: 'h3', port: 6000 },
  ])
  expect(serversOf('postgres://u@[::1]:5433,[fd00::2]/deals')).toEqual([
    { host: '::1', port: 5433 },
    { host: 'fd00::2', port: 5432 },
  ])
})

test.each([
  ['postgres://h1/deals', null],
  ['postgres://h1,h2/deals', 'read-write'],
  ['postgres://h1,h2/deals?target_session_attrs=primary', 'primary'],
  ['postgres://h1/deals?sslmode=require&target_session_attrs=read-write', 'read-write'],
])('%s requires target_session_attrs %s', (url, target) => expect(parseDatabaseUrl(url)?.target).toBe(target))

test('removes options that the driver does not support', () => {
  expect(parseDatabaseUrl('postgres://h1,h2/deals?target_session_attrs=primary&sslmode=require')?.url).toBe(
    'postgres://h1/deals?sslmode=require',
  )
})

test('passes the driver a URL with only the first host and otherwise unchanged', () => {
  expect(parseDatabaseUrl('postgres://u,1:p%40,x@h1:5433,h2:5434/deals?sslmode=require')?.url).toBe(
    'postgres://u,1:p%40,x@h1:5433/deals?sslmode=require',
  )
})

test('an encoded path in place of the hosts is a Unix socket directory', () => {
  const text = 'postgres://u:p@%2Frun%2FPostgreSQL:5433/deals?sslmode=disable'
  expect(parseDatabaseUrl(text)).toEqual({
    url: 'postgres://u:p@localhost/deals?sslmode=disable',
    servers: [{ path: '/run/PostgreSQL/.s.PGSQL.5433' }],
    target: null,
  })
  expect(serversOf('postgres://u@%2frun/deals')).toEqual([{ path: '/run/.s.PGSQL.5432' }])
  expect(hostsText(text)).toBe('/run/PostgreSQL/.s.PGSQL.5433')
})

test.each([
  'postgres://u@%2Frun%ZZ/deals',
  'postgres://u@%2Frun:0/deals',
  'postgres://h%2Frun/deals',
  'postgres://u@%2Frun%2Fpostgresql,h2/deals',
  'mysql://h1/deals',
  'postgres:///deals',
  'postgres://h1:0/deals',
  'postgres://h1:65536/deals',
  'postgres://h1:5432,/deals',
  'postgres://h1:x,h2/deals',
  'postgres://h1,h2/deals?target_session_attrs=standby',
  'postgres://[h1],h2/deals',
  'h1:5432,h2:5432',
])('rejects %s', (url) => expect(parseDatabaseUrl(url)).toBeNull())

test('error messages contain hosts and ports, but no user or password', () => {
  expect(hostsText('postgres://u:secret@h1:5433,[fd00::2]/deals')).toBe('h1:5433, [fd00::2]:5432')
})
