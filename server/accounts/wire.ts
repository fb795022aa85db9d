import { z } from 'zod'
import { RowId, line, text } from '../protocol/input.ts'

/** An address in the form in which addresses are kept. */
export const Email = text(1000)
  .transform((text) => text.trim().toLowerCase())
  .pipe(
    z
      .email({ error: 'must be an e-mail address' })
      .max(254, { error: 'must be at most 254 characters long' }),
  )

/** The name of a person, a partner or a token: 1 to 100 characters, no control characters. */
export const DisplayName = line(100).min(1, { error: 'must not be empty' })

/** A password that is set: a length and no other demands (NIST SP 800-63B, section 3.1.1.2). */
export const Password = z
  .string()
  .min(12, { error: 'must be at least 12 characters long' })
  .max(256, { error: 'must be at most 256 characters long' })

/** One that is set already may be anything. */
const PresentPassword = z.string().min(1, { error: 'must not be empty' })

export const SignIn = z.object({ email: Email, password: PresentPassword })
export const RequestLink = z.object({ email: Email })
/** Of a link that is not there, whatever its token looks like, the answer is the same. */
export const UseLink = z.object({ token: z.string() })
export const SetPassword = UseLink.extend({ name: DisplayName.optional(), password: Password })
export const ChangePassword = z.object({ current: PresentPassword, next: Password })
export const Rename = z.object({ name: DisplayName })
export const ChooseSession = z.object({
  id: z.string().regex(/^[0-9a-f]{16}$/, { error: 'must be the id of a session' }),
})

/** A user of those within reach. */
export const ChooseUser = z.object({ id: RowId })
const teamRoles = z.enum(['member', 'admin'], { error: 'must be member or admin' })
/** For an operator over all partners: the slug of the one that is meant, or null, which is the installer's own staff. */
const whose = text(63).nullable()
export const ListTeam = z.object({
  partner: whose.optional(),
  /** Part of a name or an address. */
  search: line(100),
  /** Those who are invited and have not been here yet; otherwise those who have. */
  isInvited: z.boolean(),
  /** The address behind which the page begins. */
  cursor: line(254).nullish(),
})
/** The role says nothing of the installer's own staff, who are operators. */
export const Invite = z.object({
  email: Email,
  name: DisplayName,
  role: teamRoles,
  partner: whose.optional(),
})
/** An operator who was told that nobody would be left says `evenLast`. */
export const ChangeRole = ChooseUser.extend({ role: teamRoles, evenLast: z.boolean() })
export const RemoveUser = ChooseUser.extend({ evenLast: z.boolean() })
