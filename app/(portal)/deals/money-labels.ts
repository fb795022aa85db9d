import { blockerLabels } from '#server/deals/milestones/labels.ts'
import type { DealBlocker, ResponsibleRole } from '#server/deals/milestones/money.ts'

/** Who is responsible for a deal. */
export const responsibleLabels: Record<ResponsibleRole, string> = {
  owner: 'Account manager',
  projectManager: 'Project manager',
  permitCoordinator: 'Permit coordinator',
  ixCoordinator: 'Interconnection coordinator',
  postInstallProjectManager: 'Post-install project manager',
  lender: 'Lender',
}

/** Names what holds up a deal's payment; empty if nothing does. */
export const blockerText = (held: DealBlocker | null | undefined) =>
  held?.hold ? blockerLabels[held.hold] : ''

/** Returns the holder of a deal by name or role; empty when unknown. */
export const responsibleText = (held: DealBlocker | null | undefined) =>
  held?.name ?? (held?.holder ? responsibleLabels[held.holder] : '')

/** Names what holds up a deal's payment and who is responsible, if known. */
export const blockerTitle = (held: DealBlocker) =>
  [blockerText(held), responsibleTitle(held)].filter(Boolean).join(': ')

/** Names who is responsible for a deal, with the role. */
export const responsibleTitle = ({ holder, name }: DealBlocker) =>
  [name, holder === null ? null : responsibleLabels[holder]].filter(Boolean).join(', ')
