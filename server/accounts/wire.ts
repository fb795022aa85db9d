import { z } from 'zod'
import { Email, RowId, line, text } from '../values/input.ts'
import { slugMaxLength } from './partner.ts'
import { teamRoles } from './role.ts'
import { isZone } from './zone-choice.ts'

/** The name of a person, a partner or a token: 1 to 100 characters without control characters. */
export const DisplayName = line(100).min(1, { error: 'must not be empty' })

/** A new password. Only the length is restricted (NIST SP 800-63B, section 3.1.1.2). */
const Password = z
  .string()
  .min(12, { error: 'must be at least 12 characters long' })
  .max(256, { error: 'must be at most 256 characters long' })

/** A current password, which may have been set under other rules. */
const PresentPassword = z.string().min(1, { error: 'must not be empty' })

export const SignIn = z.object({ email: Email, password: PresentPassword })
export const RequestLink = z.object({ email: Email })
/** Accepts any text, so that all unknown links get the same response. */
export const UseLink = z.object({ token: z.string() })
export const SetPassword = UseLink.extend({ name: DisplayName.optional(), password: Password })
export const ChangePassword = z.object({ current: PresentPassword, next: Password })
export const Rename = z.object({ name: DisplayName })
/** An IANA time zone name; null selects the default. */
export const ChosenZone = z
  .string()
  .refine(isZone, { error: 'must be the name of a time zone, such as America/Los_Angeles, or UTC' })
  .nullable()
export const ChooseZone = z.object({ timeZone: ChosenZone })
export const ChooseSession = z.object({
  id: z.string().regex(/^[0-9a-f]{16}$/, { error: 'must be the id of a session' }),
})

/** A user of the tenant. */
export const ChooseUser = z.object({ id: RowId })
const teamRole = z.enum(teamRoles, { error: `must be ${teamRoles.join(' or ')}` })
/** A partner's slug, for operators who view all partners; null for the installer's staff. */
const whose = text(slugMaxLength).nullable()
export const ListTeam = z.object({
  partner: whose.optional(),
  /** Text contained in the name or e-mail address. */
  search: line(100),
  /** True for users who are invited and have not joined yet, false for users who have joined. */
  isInvited: z.boolean(),
  /** The last user of the previous page. */
  cursor: z.object({ email: line(254), id: RowId }).nullish(),
})
/** The role is ignored for the installer's staff, who are always operators. */
export const Invite = z.object({ email: Email, name: DisplayName, role: teamRole, partner: whose.optional() })
/** `evenLast` lets operators confirm that no admin will remain. */
export const ChangeRole = ChooseUser.extend({ role: teamRole, evenLast: z.boolean() })
export const RemoveUser = ChooseUser.extend({ evenLast: z.boolean() })
