import { holdLabels } from '#server/deals/milestones/labels.ts'
import type { HeldDeal, Holder } from '#server/deals/milestones/money.ts'

/** Who is responsible for a deal. */
export const holderLabels: Record<Holder, string> = {
  owner: 'Account manager',
  projectManager: 'Project manager',
  permitCoordinator: 'Permit coordinator',
  ixCoordinator: 'Interconnection coordinator',
  postInstallProjectManager: 'Post-install project manager',
  lender: 'Lender',
}

/** Names what holds up a deal's payment; empty if nothing does. */
export const heldText = (held: HeldDeal | null | undefined) => (held?.hold ? holdLabels[held.hold] : '')

/** Returns the holder of a deal by name or role; empty when unknown. */
export const holderText = (held: HeldDeal | null | undefined) =>
  held?.name ?? (held?.holder ? holderLabels[held.holder] : '')

/** Names what holds up a deal's payment and who is responsible, if known. */
export const heldTitle = (held: HeldDeal) => [heldText(held), holderTitle(held)].filter(Boolean).join(': ')

/** Names who is responsible for a deal, with the role. */
export const holderTitle = ({ holder, name }: HeldDeal) =>
  [name, holder === null ? null : holderLabels[holder]].filter(Boolean).join(', ')
