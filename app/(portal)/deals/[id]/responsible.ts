import type { KnownDeal, Person } from '#server/deals/deal.ts'
import type { Holder } from '#server/deals/milestones/money.ts'
import { mailHref } from './contact.ts'

/** The roles that can be responsible for a deal. */
type Role = Exclude<Holder, 'lender'>

/**
 * Returns the installer's contact for a deal: the holder of its next step, else the project manager, else the
 * account manager.
 */
export function responsibleFor(
  deal: Pick<KnownDeal, Role>,
  holder: Holder | null = null,
): { role: Role; person: Person | null } {
  const isReachable = (person: Person | null) => mailHref(person?.email ?? '') !== null
  if (holder !== null && holder !== 'lender' && isReachable(deal[holder]))
    return { role: holder, person: deal[holder] }
  const { projectManager, owner } = deal
  return isReachable(projectManager) || (projectManager !== null && !isReachable(owner))
    ? { role: 'projectManager', person: projectManager }
    : { role: 'owner', person: owner }
}
