import { expect, test } from 'vitest'
import { ApiError } from '../errors.ts'
import { ContentMissingError } from '../files/storage.ts'
import { UndeliverableError } from '../net/ip-address.ts'

// The pages' bundle has its own instance of each module, and checks for errors that the process throws.
test.each([
  ['../errors.ts', 'ApiError', ApiError],
  ['../net/ip-address.ts', 'UndeliverableError', UndeliverableError],
  ['../files/storage.ts', 'ContentMissingError', ContentMissingError],
])(
  'in %s, instanceof recognizes a %s thrown by another instance of the module',
  async (path, name, known) => {
    const twin = `${path}?twin`
    const module = (await import(/* @vite-ignore */ twin)) as Record<
      string,
      new (...texts: string[]) => Error
    >
    const Twin = module[name]!
    expect(Twin).not.toBe(known)
    const error = new Twin('GONE', 'A message')
    expect(error).toBeInstanceOf(known)
    expect(JSON.stringify(error)).not.toContain('partnerDeals')
    expect(new Error('other')).not.toBeInstanceOf(known)
  },
)
