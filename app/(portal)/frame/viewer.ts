import type { Theme } from '#app/theme.ts'
import type { Role, TeamRole } from '#server/accounts/role.ts'
import type { Offers } from '#server/insight/wire.ts'

/** A partner's slug and name. */
export interface PartnerLabel {
  slug: string
  name: string
}

/** The signed-in user, as the frame shows them. */
export interface Viewer {
  name: string
  email: string
  role: Role
  /** Null for operators. */
  partner: PartnerLabel | null
  /** The partner that an operator views; null for all partners. */
  chosenPartner: PartnerLabel | null
  /** The id of the partner whose deals the page shows; null for all partners. */
  partnerId: number | null
  /** The pages for which deals have the fields. */
  offers: Offers
  theme: Theme
  /** Whether the keyboard has a ⌘ key. */
  isMac: boolean
}

/** Returns whether the user sees all partners at once: an operator who has not selected one. */
export const seesAllPartners = ({ role, chosenPartner }: Pick<Viewer, 'role' | 'chosenPartner'>) =>
  role === 'operator' && chosenPartner === null

/** The ID of the button with which an operator selects a partner. */
export const partnerButton = 'partner'

/** The windows that can be open over the page; `partners` is the palette in which an operator selects a partner. */
export type Window = 'palette' | 'partners' | 'keys' | 'navigation'

/** The labels of the roles. */
export const roleLabels: Record<Role, string> = { member: 'Member', admin: 'Admin', operator: 'Operator' }

/** The permissions of each role of a partner. */
export const roleRights: Record<TeamRole, string> = {
  member: 'can view deals and files',
  admin: 'can also manage webhooks, tokens and the team',
}
