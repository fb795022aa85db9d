import { expect, test } from 'vitest'
import { forDriver } from './connection-url.ts'

test.each([
  ['postgres://u:p@h/db', 'postgres://u:p@h/db'],
  [
    'postgres://u:p%40%2Fx@h/db?sslmode=require&channel_binding=require',
    'postgres://u:p%40%2Fx@h/db?sslmode=require',
  ],
  ['postgres://h:6543/db?pgbouncer=true&connection_limit=1&schema=public', 'postgres://h:6543/db'],
  ['postgres://h/db?sslmode=no-verify', 'postgres://h/db?sslmode=require'],
  ['postgres://h/db?sslmode=verify-ca', 'postgres://h/db?sslmode=verify-full'],
  ['postgres://h/db?sslmode=disable&application_name=x', 'postgres://h/db?sslmode=disable'],
  ['postgres://h/db?ssl=true', 'postgres://h/db?sslmode=require'],
  ['postgres://h/db?sslrootcert=system', 'postgres://h/db?sslmode=verify-full'],
  ['postgres://h/db?options=-c%20role%3Dreader', 'postgres://h/db?options=-c%20role%3Dreader'],
])('keeps the parameters of %s that the server accepts', (url, expected) => {
  expect(forDriver(url)).toBe(expected)
})
