import { z } from 'zod'

const counted: Record<string, string> = {
  string: 'characters long',
  array: 'items',
  set: 'items',
  map: 'entries',
  file: 'bytes',
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  date: 'a date',
  null: 'null',
}

const formatNames: Record<string, string> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  date: 'a date such as 2026-03-01',
  datetime: 'an ISO 8601 date-time such as 2026-03-01T17:20:05.000Z',
  time: 'a time such as 17:20:05',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
}

type Issue = z.core.$ZodRawIssue

/** Returns what a value must be, phrased as the end of a sentence that begins with the field. */
function issueText(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : mustBe(typeNames[issue.expected as string])
    case 'invalid_value':
      return `must be ${listOf(issue.values as unknown[])}`
    case 'too_big':
      return sizeText(issue, 'most', issue.maximum as number | bigint)
    case 'too_small':
      return sizeText(issue, 'least', issue.minimum as number | bigint)
    case 'invalid_format':
      return mustBe(formatNames[issue.format as string])
    case 'not_multiple_of':
      return `must be a multiple of ${String(issue.divisor)}`
    case 'unrecognized_keys':
      return `must not have ${(issue.keys as string[]).map((key) => JSON.stringify(key)).join(' or ')}`
    default:
      return 'is not valid'
  }
}

const mustBe = (name: string | undefined) => (name === undefined ? 'is not valid' : `must be ${name}`)

function sizeText({ origin }: Issue, bound: 'most' | 'least', limit: number | bigint): string {
  const unit = counted[origin as string]
  if (origin === 'date') {
    const day = new Date(Number(limit)).toISOString().slice(0, 10)
    return bound === 'most' ? `must not be after ${day}` : `must not be before ${day}`
  }
  if (bound === 'least' && unit !== undefined && Number(limit) === 1) return 'must not be empty'
  const verb = unit === undefined || origin === 'string' ? 'be' : 'have'
  const words = Number(limit) === 1 ? unit?.replace(/s$/, '') : unit
  return [`must ${verb} at ${bound} ${limit}`, words].filter(Boolean).join(' ')
}

function listOf(values: unknown[]): string {
  const texts = values.map((value) => (typeof value === 'string' ? value : String(value)))
  return texts.length < 2 ? (texts[0] ?? 'nothing') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

// Ensures that clients never see the library's own messages.
z.config({ localeError: issueText })
