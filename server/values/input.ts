import { z } from 'zod'
import { trimmed } from './clean.ts'

// Building blocks of inputs. Each only accepts what PostgreSQL can store; any other value would cause an
// internal error.

// In a browser, the schemas of forms would try to compile code, which the Content-Security-Policy forbids and
// reports.
if (typeof document !== 'undefined') z.config({ jitless: true })

/** Zod, configured. The shapes of requests and responses use it, because those of pages run in a browser. */
export { z }

/** Returns a schema for text of at most `max` characters. */
export const text = (max: number) =>
  z
    .string()
    .max(max, { error: `must be at most ${max} characters long`, abort: true })
    .refine((value) => !value.includes('\0') && value.isWellFormed(), {
      error: 'must not contain NUL or broken surrogates',
    })

/** Returns a schema for a single line of at most `max` characters, without surrounding spaces. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max, { error: `must be at most ${max} characters long`, abort: true })
    .regex(/^\P{Cc}*$/u, { error: 'must not contain control characters' })
    .refine((value) => value.isWellFormed(), { error: 'must not contain broken surrogates' })

/** A row id: an `integer` in PostgreSQL. */
export const RowId = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)

/**
 * A row id in a table that grows without bound, or another count: a `bigint` in PostgreSQL that JSON
 * represents exactly.
 */
export const BigRowId = z.int().min(1)

/** A time between 1970 and 9999; PostgreSQL formats later years differently. */
export const Time = z.date().min(new Date('1970-01-01')).max(new Date('9999-12-31'))

// The atoms of RFC 5322, section 3.2.3, and letters, marks and digits of all scripts (RFC 6531). No invisible
// characters, and no mark without a letter.
const emailForm =
  /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-][\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]*(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9][a-z0-9-]*\.)+[a-z][a-z0-9-]+$/u

const emailTypedMax = 1000

/**
 * Returns an e-mail address in its stored form, with one spelling per address: lower case, NFKC, and the
 * domain in ASCII (RFC 5890), as browsers submit it.
 */
function spellEmail(typed: string): string {
  const compose = (text: string) => text.slice(0, emailTypedMax).normalize('NFKC')
  const email = compose(compose(trimmed(addressIn(trimmed(typed)))).toLowerCase())
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  const isForeign = /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) && /[^ -~]/.test(domain)
  if (!isForeign || !URL.canParse(`http://${domain}`)) return email
  return email.slice(0, at + 1) + new URL(`http://${domain}`).hostname
}

/** An e-mail address in its stored form. */
export const Email = text(emailTypedMax)
  .transform(spellEmail)
  .pipe(
    z
      .string()
      .regex(emailForm, { error: 'must be an e-mail address' })
      .max(254, { error: 'must be at most 254 characters long' }),
  )

/** An e-mail address with the name beside it, which may be empty. */
export interface Mailbox {
  name: string
  address: string
}

// HubSpot writes other brackets.
const mailboxForm =
  /^([^<>()[\]]{0,200})[<([](?:mailto:)?([^<>()[\]\s]{1,254}@[^<>()[\]\s]{1,254})[>)\]][;,]?$/i

/** Parses an address with a name, such as `Ana Lopez <ana@sunline.example>`; null for anything else. */
export function parseMailbox(text: string): Mailbox | null {
  const [, name, address] = mailboxForm.exec(text.trim()) ?? []
  return address === undefined ? null : { name: name!.trim().replace(/^"(.*)"$/, '$1'), address }
}

/** Returns the address in `Ana Lopez <ana@sunline.example>` or `mailto:ana@sunline.example`; other text unchanged. */
export const addressIn = (text: string): string =>
  parseMailbox(text)?.address ?? text.replace(/^mailto:/i, '')

/** Parses the sender of mails: an address, alone or with a name; null for anything else. */
export function parseSender(text: string): Mailbox | null {
  const sender = parseMailbox(text) ?? { name: '', address: text.trim() }
  // The name of a host in the own network has no dot.
  return /^[^\s<>@,;"]+@[^\s<>@,;"]+$/.test(sender.address) ? sender : null
}
