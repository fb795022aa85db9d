import type { Deal, Person } from '#server/deals/deal.ts'
import { mailHref } from './contact.ts'

/** Returns who has a deal on the installer's side: its project manager, or the account manager if that one cannot be reached. */
export function responsibleFor({ projectManager, owner }: Pick<Deal, 'projectManager' | 'owner'>): {
  role: 'projectManager' | 'owner'
  person: Person | null
} {
  const isReachable = (person: Person | null) => mailHref(person?.email ?? '') !== null
  return isReachable(projectManager) || (projectManager !== null && !isReachable(owner))
    ? { role: 'projectManager', person: projectManager }
    : { role: 'owner', person: owner }
}
