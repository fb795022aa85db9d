import { z } from 'zod'
import { trimmed } from './clean.ts'

// Building blocks for inputs. Schemas accept only values that PostgreSQL can store, because other values
// would cause an internal error.

// In browsers, Zod would try to compile form schemas to code, which the Content-Security-Policy blocks and
// reports.
if (typeof document !== 'undefined') z.config({ jitless: true })

/**
 * Zod with this configuration. All request and response schemas use this export, because the schemas of pages
 * run in a browser.
 */
export { z }

/** Returns a schema for text of at most `max` characters. */
export const text = (max: number) =>
  z
    .string()
    .max(max, { error: `must be at most ${max} characters long`, abort: true })
    .refine((value) => !value.includes('\0') && value.isWellFormed(), {
      error: 'must not contain NUL or broken surrogates',
    })

/** Returns a schema for a single line of at most `max` characters without surrounding spaces. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max, { error: `must be at most ${max} characters long`, abort: true })
    .regex(/^\P{Cc}*$/u, { error: 'must not contain control characters' })
    .refine((value) => value.isWellFormed(), { error: 'must not contain broken surrogates' })

/** Id of a row, an `integer` in PostgreSQL. */
export const RowId = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)

/**
 * Id of a row in a table that grows without bound, or a large count: a PostgreSQL `bigint` that JSON can
 * represent exactly.
 */
export const BigRowId = z.int().min(1)

/** A time between 1970 and 9999. PostgreSQL formats later years differently. */
export const Time = z.date().min(new Date('1970-01-01')).max(new Date('9999-12-31'))

// Accepts the atoms of RFC 5322, section 3.2.3, and letters, marks, and digits of all scripts (RFC 6531), but
// not invisible characters or marks without a letter.
const emailForm =
  /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-][\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]*(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9][a-z0-9-]*\.)+[a-z][a-z0-9-]+$/u

const emailTypedMax = 1000

/**
 * Normalizes an e-mail address so that each address has only one spelling: lower case, NFKC, and the domain
 * in ASCII (RFC 5890), as browsers submit it.
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

/** A normalized e-mail address. */
export const Email = text(emailTypedMax)
  .transform(spellEmail)
  .pipe(
    z
      .string()
      .regex(emailForm, { error: 'must be an e-mail address' })
      .max(254, { error: 'must be at most 254 characters long' }),
  )

/** An e-mail address with a display name, which may be empty. */
export interface Mailbox {
  name: string
  address: string
}

// HubSpot uses a different kind of brackets.
const mailboxForm =
  /^([^<>()[\]]{0,200})[<([](?:mailto:)?([^<>()[\]\s]{1,254}@[^<>()[\]\s]{1,254})[>)\]][;,]?$/i

/**
 * Parses an e-mail address with a name, such as `Ana Lopez <ana@sunline.example>`. Returns null for any other
 * text.
 */
export function parseMailbox(text: string): Mailbox | null {
  const [, name, address] = mailboxForm.exec(text.trim()) ?? []
  return address === undefined ? null : { name: unquoted(name!), address }
}

/**
 * Returns the e-mail address in `Ana Lopez <ana@sunline.example>` or `mailto:ana@sunline.example`. Returns
 * other text unchanged.
 */
export const addressIn = (text: string): string =>
  parseMailbox(text)?.address ?? text.replace(/^mailto:/i, '')

/** Parses the sender of e-mails: an address with or without a name. Returns null for any other text. */
export function parseSender(text: string): Mailbox | null {
  // A configured name may contain brackets, unlike a name that is typed with an address.
  const [, name = '', inner = text] = /^([^<>]*)<([^<>]*)>$/.exec(text.trim()) ?? []
  const address = inner.trim()
  // A host name within a local network has no dot.
  if (!/^[^\s<>@,;"]+@[^\s<>@,;"]+$/.test(address)) return null
  return { name: unquoted(name), address }
}

const unquoted = (name: string) => name.trim().replace(/^"(.*)"$/, '$1')
