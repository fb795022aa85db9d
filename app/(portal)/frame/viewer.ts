import type { Theme } from '#app/theme.ts'
import type { Role } from '#server/accounts/user.ts'

/** A partner as people call it. */
export interface PartnerLabel {
  slug: string
  name: string
}

/** Whom the frame is shown to, and how. */
export interface Viewer {
  name: string
  email: string
  role: Role
  /** Null for operators. */
  partner: PartnerLabel | null
  /** The partner that an operator views the portal as; null: all partners. */
  chosenPartner: PartnerLabel | null
  theme: Theme
  /** Whether the keyboard is one with ⌘. */
  isMac: boolean
}

/** The id of the button with which an operator chooses a partner. */
export const partnerButton = 'partner'

/** What can be open over the page; `partners` is the palette where an operator chooses one. */
export type Window = 'palette' | 'partners' | 'keys' | 'navigation'
