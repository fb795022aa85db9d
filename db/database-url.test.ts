import { expect, test } from 'vitest'
import { hostsText, parseDatabaseUrl } from './database-url.ts'

const hostsOf = (url: string) => {
  const parsed = parseDatabaseUrl(url)
  return parsed && { host: parsed.host, port: parsed.port }
}

test('each host has a port of its own, 5432 unless it is given', () => {
  expect(hostsOf('postgres://deals:secret@db.internal/deals')).toEqual({
    host: ['db.internal'],
    port: [5432],
  })
  expect(hostsOf('postgresql://h1:5433,h2,h3:6000/deals')).toEqual({
    host: ['h1', 'h2', 'h3'],
    port: [5433, 5432, 6000],
  })
  expect(hostsOf('postgres://u@[::1]:5433,[fd00::2]/deals')).toEqual({
    host: ['::1', 'fd00::2'],
    port: [5433, 5432],
  })
})

test('the driver is given a URL with the first host, and everything else as it was', () => {
  expect(parseDatabaseUrl('postgres://u,1:p%40,x@h1:5433,h2:5434/deals?sslmode=require')?.url).toBe(
    'postgres://u,1:p%40,x@h1:5433/deals?sslmode=require',
  )
})

test('an encoded path in the place of the hosts is the directory of a Unix socket', () => {
  const text = 'postgres://u:p@%2Frun%2FPostgreSQL:5433/deals?sslmode=disable'
  expect(parseDatabaseUrl(text)).toEqual({
    url: 'postgres://u:p@localhost/deals?sslmode=disable',
    host: ['localhost'],
    port: [5432],
    socket: '/run/PostgreSQL/.s.PGSQL.5433',
  })
  expect(parseDatabaseUrl('postgres://u@%2frun/deals')?.socket).toBe('/run/.s.PGSQL.5432')
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
  'postgres://[h1],h2/deals',
  'h1:5432,h2:5432',
])('%s leads nowhere', (url) => expect(parseDatabaseUrl(url)).toBeNull())

test('a message names the hosts and ports, and neither user nor password', () => {
  expect(hostsText('postgres://u:secret@h1:5433,[fd00::2]/deals')).toBe('h1:5433, [fd00::2]:5432')
})
