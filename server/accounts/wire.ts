import { z } from 'zod'

// In a browser; there the schemas of forms would ask whether they may make code, which the policy of our pages forbids and reports.
if (typeof document !== 'undefined') z.config({ jitless: true })

/** An address in the form in which addresses are kept. */
export const Email = z.string().transform((text) => text.trim().toLowerCase())
  .pipe(z.email({ error: 'must be an e-mail address' }).max(254, { error: 'must be at most 254 characters long' }))

/** What a person is called. */
export const PersonName = z.string().trim().min(1, { error: 'must not be empty' }).max(100, { error: 'must be at most 100 characters long' })
  .regex(/^\P{Cc}*$/u, { error: 'must not contain control characters' })

/** A password that is set: a length and no other demands (NIST SP 800-63B, section 3.1.1.2). */
export const Password = z.string().min(12, { error: 'must be at least 12 characters long' }).max(256, { error: 'must be at most 256 characters long' })

/** One that is set already may be anything. */
const PresentPassword = z.string().min(1, { error: 'must not be empty' })

export const SignIn = z.object({ email: Email, password: PresentPassword })
export const RequestLink = z.object({ email: Email })
/** Of a link that is not there, whatever its token looks like, the answer is the same. */
export const UseLink = z.object({ token: z.string() })
export const SetPassword = UseLink.extend({ name: PersonName.optional(), password: Password })
export const ChangePassword = z.object({ current: PresentPassword, next: Password })
export const Rename = z.object({ name: PersonName })
export const ChooseSession = z.object({ id: z.string().regex(/^[0-9a-f]{16}$/, { error: 'must be the id of a session' }) })
/** Null is all partners. */
export const ChoosePartner = z.object({ slug: z.string().nullable() })
