import { holdLabels } from '#server/deals/milestones/labels.ts'
import type { HeldDeal, Holder } from '#server/deals/milestones/money.ts'

/** Who has a deal. */
export const holderLabels: Record<Holder, string> = {
  owner: 'Account manager',
  projectManager: 'Project manager',
  permitCoordinator: 'Permit coordinator',
  postInstallProjectManager: 'Post-install project manager',
  lender: 'Lender',
}

/** Returns what holds a deal; empty when nothing does. */
export const heldText = (held: HeldDeal | null | undefined) => (held?.hold ? holdLabels[held.hold] : '')

/** Returns the holder of a deal by name or role; empty when unknown. */
export const holderText = (held: HeldDeal | null | undefined) =>
  held?.name ?? (held?.holder ? holderLabels[held.holder] : '')

/** Returns what holds a deal, and its holder with the role, where known. */
export const heldTitle = (held: HeldDeal) => [heldText(held), holderTitle(held)].filter(Boolean).join(': ')

/** Returns who has a deal with the role, where a name alone is shown. */
export const holderTitle = ({ holder, name }: HeldDeal) =>
  [name, holder === null ? null : holderLabels[holder]].filter(Boolean).join(', ')
