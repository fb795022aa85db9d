import type { Theme } from '#app/theme.ts'
import type { Role, TeamRole } from '#server/accounts/role.ts'
import type { Offers } from '#server/insight/wire.ts'

/** A partner's slug and name. */
export interface PartnerLabel {
  slug: string
  name: string
}

/** The signed-in user, as shown in the layout. */
export interface Viewer {
  name: string
  email: string
  role: Role
  /** The user's partner; null for operators. */
  partner: PartnerLabel | null
  /** The partner that an operator has selected; null for all partners. */
  chosenPartner: PartnerLabel | null
  /** ID of the partner whose deals the page shows; null for all partners. */
  partnerId: number | null
  offers: Offers
  theme: Theme
  /** True if the keyboard has a ⌘ key. */
  isMac: boolean
}

/** Returns true if the page shows the deals of all partners: for an operator who has not selected one. */
export const seesAllPartners = ({ role, chosenPartner }: Pick<Viewer, 'role' | 'chosenPartner'>) =>
  role === 'operator' && chosenPartner === null

/** Windows that can be open over the page. `partners` is the palette for selecting a partner. */
export type Window = 'palette' | 'partners' | 'keys' | 'navigation'

export const roleLabels: Record<Role, string> = { member: 'Member', admin: 'Admin', operator: 'Operator' }

/** Description of the permissions of each role. */
export const roleRights: Record<TeamRole, string> = {
  member: 'can view deals and files',
  admin: 'can also manage webhooks, tokens and the team',
}
